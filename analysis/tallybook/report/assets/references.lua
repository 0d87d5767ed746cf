--- Numbers of sections, tables and figures, and the references to them.

local problems = require("problems")
local constructs = require("constructs")

local M = {}

M.names = { tbl = "Table", fig = "Figure", sec = "Section" }

-- What Quarto numbers besides: a reference to one of these is no citation, and is refused.
local OTHERS = {}
for name in ("lst eq thm lem cor prp cnj def exm exr alg nte wrn cau tip imp prf rem sol"):gmatch("%S+") do OTHERS[name] = true end

--- The kind of thing an identifier names: "tbl", "fig", "sec"; false for a kind that is not supported; nil for a citation.
local function kind_of(identifier)
  local prefix = identifier:match("^(%a+)%-")
  if not prefix then return nil end
  prefix = pandoc.text.lower(prefix)
  if OTHERS[prefix] then return false end
  return M.names[prefix] and prefix or nil
end

local function register(seen, identifier)
  if identifier == "" then return end
  if seen[identifier] then problems.add("#" .. identifier, "duplicate identifier " .. identifier, true) end
  seen[identifier] = true
  if kind_of(identifier) and not identifier:match("^[%w%-_%.:]+$") then
    problems.add("#" .. identifier, "the identifier " .. identifier .. ": expected letters, digits, '-', '_', '.' and ':'")
  end
end

--- Counters like 2.1 for headings whose topmost level is 2.
local function next_section(counters, level)
  for deeper = level + 1, 6 do counters[deeper] = 0 end
  counters[level] = (counters[level] or 0) + 1
  local parts = {}
  for at = 2, level do parts[#parts + 1] = counters[at] or 0 end
  return table.concat(parts, ".")
end

--- Number everything that is numbered, in the order of the document.
-- @return a table identifier -> { kind, number }, and a list of the headings' numbers (false for an unnumbered one)
function M.index(doc, number_sections)
  local seen, entries, counters, headings = {}, {}, {}, {}
  local counted = { tbl = 0, fig = 0 }
  local function float(element)
    register(seen, element.identifier)
    local kind = constructs.float_kind(element.identifier)
    if not kind then return end
    counted[kind] = counted[kind] + 1
    entries[element.identifier] = { kind = kind, number = tostring(counted[kind]) }
  end
  doc:walk({
    traverse = "topdown",
    Header = function(header)
      register(seen, header.identifier)
      local number = number_sections and not header.classes:includes("unnumbered") and next_section(counters, header.level)
      headings[#headings + 1] = number
      if number and header.identifier:match("^sec%-") then
        entries[header.identifier] = { kind = "sec", number = number }
      end
    end,
    Div = float,
    Figure = float,
    RawBlock = function(raw)
      if raw.format ~= "html" then return end
      for identifier in raw.text:gmatch("%sid%s*=%s*[\"']([^\"']+)[\"']") do register(seen, identifier) end
    end,
  })
  return entries, headings
end

local function link(entry, identifier, number_only)
  local name = number_only and "" or M.names[entry.kind]
  if FORMAT:match("typst") then
    return pandoc.Inlines({ pandoc.RawInline("typst", "#ref(<" .. identifier .. ">, supplement: [" .. name .. "])") })
  end
  local text = number_only and entry.number or name .. "\u{A0}" .. entry.number
  return pandoc.Inlines({ pandoc.Link(text, "#" .. identifier, "", pandoc.Attr("", { "quarto-xref" })) })
end

local function resolve_one(citation, kind, entries)
  local key = "@" .. citation.id
  if kind == false then
    problems.add(key, "unknown cross-reference prefix in " .. key .. ": sec-, tbl- and fig- are supported")
  elseif #citation.prefix > 0 or #citation.suffix > 0 then
    problems.add(key, "text within the cross-reference [" .. key .. "]: put it before or behind the brackets")
  elseif not entries[citation.id] then
    local hint = kind == "sec" and " (a section has to have {#sec-...} and a number)" or ""
    -- Identifiers of tables and figures are made of their numbers so.
    local near = citation.id:lower():gsub("[^a-z0-9]+", "-")
    if entries[near] then hint = ": did you mean @" .. near .. "?" end
    problems.add(key, "unresolved cross-reference " .. key .. hint)
  elseif FORMAT:match("docx") and kind ~= "sec" then
    -- Theme/word.lua writes these, as it does under Quarto.
    return pandoc.Inlines({ pandoc.Cite({ pandoc.Str(key) }, { citation }) })
  else
    return link(entries[citation.id], citation.id, citation.mode == "SuppressAuthor")
  end
  return pandoc.Inlines({})
end

local function resolve(cite, entries)
  local kinds, references = {}, 0
  for index, citation in ipairs(cite.citations) do
    kinds[index] = kind_of(citation.id)
    if kinds[index] ~= nil then references = references + 1 end
  end
  if references == 0 then return nil end
  if references < #cite.citations then
    problems.add("@" .. cite.citations[1].id, "cross-references and citations within the same brackets")
  end
  local inlines = pandoc.Inlines({})
  for index, citation in ipairs(cite.citations) do
    if index > 1 then inlines:extend({ pandoc.Str(","), pandoc.Space() }) end
    inlines:extend(resolve_one(citation, kinds[index], entries))
  end
  return inlines
end

--- The document with its cross-references as links.
function M.link(doc, entries)
  return doc:walk({ Cite = function(cite) return resolve(cite, entries) end })
end

--- The document with numbers before its headings (html, docx: typst counts for itself) and levels counted from 1 where
--- the title is not a heading (typst, docx).
function M.number_headings(doc, headings)
  local at = 0
  local is_html = FORMAT:match("html") ~= nil
  return doc:walk({
    traverse = "topdown",
    Header = function(header)
      at = at + 1
      local number = headings[at]
      if number and not FORMAT:match("typst") then
        local shown = pandoc.Span({ pandoc.Str(number) }, pandoc.Attr("", { "header-section-number" }))
        header.content:insert(1, pandoc.Space())
        header.content:insert(1, is_html and shown or pandoc.Str(number))
      end
      if not is_html then header.level = math.max(1, header.level - 1) end
      return header
    end,
  })
end

return M
