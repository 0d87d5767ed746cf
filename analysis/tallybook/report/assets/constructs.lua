--- The constructs a report may use. Whatever else pandoc can read is refused by name: an engine that skipped what it does
--- not know would print a document that differs from Quarto's without saying so.

local problems = require("problems")

local M = {}

local function set(names)
  local members = {}
  for name in names:gmatch("%S+") do members[name] = true end
  return members
end

local CALLOUTS = set("note tip important warning caution")
local SPAN_CLASSES = set("smallcaps underline mark")
local HEADER_CLASSES = set("unnumbered unlisted")
local LINKS = set("http https mailto ftp doi")
local RAW_FORMATS = set("html typst")
local IMAGE_ATTRIBUTES = set("width fig-alt")
local TABLE_STYLES = {
  ["Table Text"] = true, ["Table Heading"] = true, ["Table Group"] = true, ["Table Note"] = true, ["Table Note Kept"] = true,
}
local CALLOUT_ATTRIBUTES = set("title collapse")

M.callout_names = { note = "Note", tip = "Tip", important = "Important", warning = "Warning", caution = "Caution" }

--- "note" for a division of class `callout-note`, nil for any other division.
function M.callout_type(div)
  for _, class in ipairs(div.classes) do
    local kind = class:match("^callout%-(.+)$")
    if kind then return kind end
  end
end

--- "tbl" or "fig" for a division that is a numbered float, nil for any other.
function M.float_kind(identifier)
  local prefix = identifier:match("^(%a+)%-")
  return (prefix == "tbl" or prefix == "fig") and prefix or nil
end

local function refuse_attributes(element, allowed, what)
  for name in pairs(element.attributes) do
    if not allowed[name] then problems.add(name, "unknown attribute " .. name .. " of " .. what) end
  end
end

local function refuse_classes(element, allowed, what)
  for _, class in ipairs(element.classes) do
    if not allowed[class] then problems.add(class, "unknown class ." .. class .. " of " .. what) end
  end
end

local function check_callout(div, kind)
  if not CALLOUTS[kind] then
    problems.add("callout-" .. kind, "unknown callout type callout-" .. kind)
    return
  end
  refuse_classes(div, { ["callout-" .. kind] = true }, "a callout")
  refuse_attributes(div, CALLOUT_ATTRIBUTES, "a callout")
  local collapse = div.attributes.collapse
  if collapse and collapse ~= "true" and collapse ~= "false" then
    problems.add("collapse", "collapse is " .. collapse .. ": expected true or false")
  end
  if div.identifier ~= "" then
    problems.add("#" .. div.identifier, "a callout takes no identifier: callouts are not numbered")
  end
end

--- What a figure's source line shows: the path of its image.
local function image_of(figure)
  local block = figure.content[1]
  local image = block and block.content and block.content[1]
  return image and image.t == "Image" and image.src or "!["
end

local WORD = { "^<w:tbl>", "^</w:tc></w:tr></w:tbl>", "^<w:p><w:pPr>" }

--- Whether this is what theme/tables.lua and theme/word-tables.lua write for docx: a table, its end behind its notes, the
--- paragraph behind it, the end of a section with its page.
function M.is_word(raw)
  if raw.format ~= "openxml" or raw.t ~= "RawBlock" then return false end
  return pandoc.List(WORD):find_if(function(form) return raw.text:match(form) end) ~= nil
end

local function holds_table(div)
  local held = false
  div:walk({
    Table = function() held = true end,
    RawBlock = function(raw)
      held = held or (raw.format == "html" and raw.text:lower():find("<table[%s>]") ~= nil) or M.is_word(raw)
      -- What theme/tables.lua writes for typst.
      held = held or (raw.format == "typst" and raw.text:find("^#table%(") ~= nil)
    end,
  })
  return held
end

local function check_float(div, kind)
  refuse_classes(div, {}, "a numbered table or figure")
  refuse_attributes(div, {}, "a numbered table or figure")
  local last = div.content[#div.content]
  if #div.content < 2 or last.t ~= "Para" then
    problems.add("#" .. div.identifier, div.identifier .. " has no caption: its last paragraph is its caption")
  end
  if kind == "tbl" and not holds_table(div) then problems.add("#" .. div.identifier, div.identifier .. " holds no table") end
  div:walk({
    Figure = function(figure)
      problems.add(image_of(figure),
        "an image with a caption of its own within " .. div.identifier .. ': write ![](path){fig-alt="..."}')
    end,
  })
end

local function check_division(div)
  local kind = M.callout_type(div)
  if kind then return check_callout(div, kind) end
  -- Styles that theme/tables.lua gives in docx.
  if TABLE_STYLES[div.attributes["custom-style"]] then return end
  if div.identifier == "refs" then
    refuse_classes(div, {}, "the list of references")
    return
  end
  if div.classes:includes("landscape") then
    refuse_classes(div, { landscape = true }, "a landscape division")
    refuse_attributes(div, {}, "a landscape division")
    return
  end
  local float = M.float_kind(div.identifier)
  if float then return check_float(div, float) end
  -- The words in place of notes that stand under another table; in typst and docx theme/tables.lua sets them.
  if div.classes:includes("table-notes") then
    refuse_classes(div, { ["table-notes"] = true }, "the notes of a table")
    return
  end
  if #div.classes > 0 then
    for _, class in ipairs(div.classes) do problems.add(class, "unknown division ." .. class) end
  elseif div.identifier == "" then
    problems.add("<div", "a division without class and name: leave it out")
  else
    problems.add("#" .. div.identifier, "unknown division #" .. div.identifier .. ": numbered ones begin with tbl- or fig-")
  end
end

local function check_figure(figure)
  if figure.identifier == "" then
    problems.add(image_of(figure), "a figure without an identifier: write {#fig-...} behind it")
  elseif M.float_kind(figure.identifier) ~= "fig" then
    problems.add("#" .. figure.identifier, "a figure's identifier begins with fig-, not " .. figure.identifier)
  end
end

local function check_image(image)
  refuse_classes(image, {}, "an image")
  refuse_attributes(image, IMAGE_ATTRIBUTES, "an image")
  local width = image.attributes.width
  local unit = width and width:match("^%d+%.?%d*(%%?%a*)$")
  if width and not set("% cm mm in pt")[unit or ""] then
    problems.add("width=" .. width, "the width " .. width .. ": expected a length in %, cm, mm, in or pt")
  end
end

-- What makes a browser run or load something: a report is text, tables and pictures.
local ACTIVE = set("script iframe frame object embed applet base meta link form svg math template")

local LOADS = set("src srcset action background poster data ping formaction")

--- What a style makes a browser load, nil if nothing.
local function loaded(style)
  return style:match("url%s*%(") or style:match("image%-set") or style:match("@import") or style:match("\\")
end

--- What one attribute makes a browser run or load, nil if nothing.
local function acts(name, value)
  if name:match("^on") or name == "srcdoc" or name == "style" and loaded(value) or value:match("\\") then
    return name .. "="
  elseif LOADS[name] and not value:match("^data:image/") or value:match("^%s*//") then
    return name .. "=" .. value
  elseif name ~= "href" and name ~= "cite" then
    return
  end
  -- A browser leaves out blanks, and reads references such as `&colon;`.
  local scheme = value:gsub("[%c%s]", ""):match("^([^/?#]-)[:&]")
  if scheme and not (LINKS[scheme] and value:find(scheme .. ":", 1, true)) then
    return name .. "=" .. value
  end
end

--- The first thing in raw HTML that a browser would act upon, nil without any. Every tag must be a plain one, so that it
--- is the same tag to every browser; what comments hold is looked at, too, for they may end elsewhere than they seem to.
local function active(html)
  local text = html:lower():gsub("<!%-%-", " "):gsub("%-%->", " ")
  local style = ""
  local rest = text:gsub("<style[^<>]*>(.-)</style%s*>", function(content) style = style .. content return "" end)
  if loaded(style) or rest:find("<style", 1, true) then return "<style" end
  for tag in text:gmatch("<[%a/!?][^<>]*>?") do
    local name, rest = tag:match("^</?(%a[%w%-]*)(.*)$")
    if not name or ACTIVE[name] then return "<" .. (name or tag:sub(2)) end
    while not rest:match("^%s*/?>$") do
      local attribute, behind = rest:match("^[%s/]+([%w_:.%-]+)(.*)$")
      if not attribute then return tag end
      local value, after = behind:match('^%s*=%s*"([^"]*)"(.*)$')
      if not value then value, after = behind:match("^%s*=%s*'([^']*)'(.*)$") end
      if not value then value, after = behind:match("^%s*=%s*([^%s\"'=<>`]+)(.*)$") end
      local found = acts(attribute, value or "")
      if found then return found end
      rest = after or behind
    end
  end
end

local function check_raw(raw)
  if M.is_word(raw) then return end
  if not RAW_FORMATS[raw.format] then
    -- Pandoc reads TeX in running text as well; every other format is named behind a block.
    local needle = raw.format == "tex" and raw.text:match("^[^\n]*") or "{=" .. raw.format .. "}"
    problems.add(needle, "raw " .. raw.format .. ": raw html and typst are supported")
  elseif raw.t == "RawInline" and raw.format == "html" and not raw.text:match("^<!%-%-.*%-%->$") then
    problems.add(raw.text, "HTML in running text, " .. raw.text .. ": put it into a raw block")
  elseif raw.format == "html" and active(raw.text) then
    local found = active(raw.text)
    problems.add(raw.text:match("^[^\n]*"), "raw html with " .. found .. ": expected HTML that a browser only shows")
  end
end

local function check_code(code, what)
  if #code.classes > 1 then problems.add(code.classes[2], "unknown class ." .. code.classes[2] .. " of " .. what) end
  if code.identifier ~= "" then problems.add("#" .. code.identifier, "an identifier of " .. what) end
  refuse_attributes(code, {}, what)
end

local function check_header(header)
  refuse_classes(header, HEADER_CLASSES, "a heading")
  refuse_attributes(header, {}, "a heading")
  if header.level == 1 then
    problems.add("# " .. pandoc.utils.stringify(header.content),
      "a heading of level 1: sections begin at level 2 (##), level 1 is the title")
  end
end

--- The images of a document that stand outside every float.
local function stray_images(doc)
  local bare = doc:walk({
    Div = function(div) return M.float_kind(div.identifier) and {} or nil end,
    Figure = function() return {} end,
  })
  bare:walk({
    Image = function(image)
      problems.add(image.src, "an image outside of a figure: write ![Caption](path){#fig-...}")
    end,
  })
end

--- Landscape pages are made of whole pages, so the division has to stand at the top of the document.
local function nested_landscape(doc)
  local rest = pandoc.Blocks(doc.blocks:filter(function(block)
    return not (block.t == "Div" and block.classes:includes("landscape"))
  end))
  local inner = pandoc.Blocks({})
  for _, block in ipairs(doc.blocks) do
    if block.t == "Div" and block.classes:includes("landscape") then inner:extend(block.content) end
  end
  rest:extend(inner)
  rest:walk({
    Div = function(div)
      if div.classes:includes("landscape") then problems.add("landscape", "a landscape division within another block") end
    end,
  })
end

--- A fence that pandoc took for text stands where a line begins; elsewhere colons are only colons.
local function check_fences(inlines)
  local begins = true
  for _, inline in ipairs(inlines) do
    if begins and inline.t == "Str" and inline.text:match("^:::") then
      problems.add(inline.text, "a fence of a division that opens or closes nothing: " .. inline.text)
    end
    begins = inline.t == "SoftBreak" or inline.t == "LineBreak"
  end
end

--- Note everything in the document that is not in the list above.
function M.check(doc)
  doc:walk({
    Div = check_division,
    Figure = check_figure,
    Image = check_image,
    RawBlock = function(raw) if raw.format ~= "tallybook" then check_raw(raw) end end,
    RawInline = check_raw,
    CodeBlock = function(block) check_code(block, "a code block") end,
    Code = function(code) check_code(code, "code") end,
    Header = check_header,
    Span = function(span)
      -- An empty span parts colons that would look like a fence (report/markup.py).
      if #span.classes == 0 and #span.content > 0 then problems.add("[", "a span without a class") end
      refuse_classes(span, SPAN_CLASSES, "a span")
      refuse_attributes(span, {}, "a span")
    end,
    Link = function(link)
      refuse_classes(link, set("uri email"), "a link")
      refuse_attributes(link, {}, "a link")
      local scheme = link.target:lower():match("^%s*([%a][%w+.-]*):")
      if scheme and not LINKS[scheme] then
        problems.add(link.target, "a link to " .. scheme .. ": expected http, https or mailto")
      end
    end,
    Inlines = check_fences,
    Table = function(tbl)
      if #tbl.caption.long > 0 then
        local caption = pandoc.utils.stringify(tbl.caption.long)
        problems.add(caption:match("^%S*"), "a table with a caption of its own: put it into ::: {#tbl-...} with the caption as last paragraph")
      end
    end,
  })
  stray_images(doc)
  nested_landscape(doc)
end

return M
