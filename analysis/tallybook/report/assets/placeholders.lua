--- Shortcodes that stand in running text. The program that reads the sources leaves a placeholder (U+E000 number U+E001)
--- for each; here it becomes what it stands for: a variable's inlines or a literal text.

local problems = require("problems")

local M = {}

local OPEN, CLOSE = "\u{E000}", "\u{E001}"
local PATTERN = OPEN .. "(%d+)" .. CLOSE

-- A variable is text, parts of it perhaps italic or lowered, as statistical symbols are: what would be other markup has
-- to be escaped where the variable is written. An empty span parts colons that would look like a fence.
local TEXT = { Str = true, Space = true, SoftBreak = true, Quoted = true, Emph = true, Subscript = true, Superscript = true }

local function other_markup(inlines)
  local found = false
  local function check(inline)
    local parts = inline.t == "Span" and #inline.content == 0 and inline.attr == pandoc.Attr()
    if not TEXT[inline.t] and not parts then found = true end
  end
  for _, inline in ipairs(inlines) do
    check(inline)
    pandoc.Inlines({ inline }):walk({ Inline = check })
  end
  return found
end

local function variable(item)
  local doc = pandoc.read(item.markdown, "markdown-yaml_metadata_block-pandoc_title_block")
  local first = doc.blocks[1]
  local inlines = #doc.blocks == 1 and first.t == "Para" and first.content or nil
  if #doc.blocks == 0 then inlines = pandoc.Inlines({}) end
  if inlines and not other_markup(inlines) then return inlines end
  problems.add_at(item, "the variable " .. item.name .. " is not text: escape its markup in _variables.yml")
  return pandoc.Inlines({})
end

local function fill_text(text, items)
  local filled = pandoc.Inlines({})
  local at = 1
  while true do
    local from, to, index = text:find(PATTERN, at)
    if not from then break end
    if from > at then filled:insert(pandoc.Str(text:sub(at, from - 1))) end
    local item = items[tonumber(index)]
    if item.literal then filled:insert(pandoc.Str(item.literal)) else filled:extend(variable(item)) end
    at = to + 1
  end
  if at <= #text then filled:insert(pandoc.Str(text:sub(at))) end
  return filled
end

--- Literal shortcodes are welcome in code; a variable is not, for Quarto would replace it there and few expect that.
local function fill_code(code, items)
  code.text = code.text:gsub(PATTERN, function(index)
    local item = items[tonumber(index)]
    if item.literal then return item.literal end
    problems.add_at(item, "the shortcode " .. item.shortcode .. " stands in code: write {" .. item.shortcode .. "} to show it")
    return ""
  end)
  return code
end

local function misplaced(text, items)
  for index in text:gmatch(PATTERN) do
    local item = items[tonumber(index)]
    problems.add_at(item, "the shortcode " .. item.shortcode .. " cannot stand in a target, an attribute, raw text or mathematics")
  end
end

local function check_attributes(element, items)
  misplaced(element.identifier, items)
  for _, value in pairs(element.attributes) do misplaced(value, items) end
end

--- The document with every placeholder filled.
function M.fill(doc, items)
  doc = doc:walk({
    Str = function(str) return str.text:find(OPEN, 1, true) and fill_text(str.text, items) or nil end,
    Code = function(code) return code.text:find(OPEN, 1, true) and fill_code(code, items) or nil end,
  })
  doc:walk({
    CodeBlock = function(block) misplaced(block.text, items) end,
    RawBlock = function(raw) misplaced(raw.text, items) end,
    RawInline = function(raw) misplaced(raw.text, items) end,
    Math = function(math) misplaced(math.text, items) end,
    Link = function(link) misplaced(link.target, items) end,
    Image = function(image)
      misplaced(image.src, items)
      check_attributes(image, items)
    end,
    Div = function(div) check_attributes(div, items) end,
    Span = function(span) check_attributes(span, items) end,
    Header = function(header) check_attributes(header, items) end,
  })
  return doc
end

return M
