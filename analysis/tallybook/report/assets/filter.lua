--- The embedded engine's reading of Quarto's markdown: conditional content, numbers, cross-references, callouts, floats,
--- landscape pages and page breaks, in the meaning Quarto gives them. Everything else is refused (constructs.lua).
---
--- Pandoc runs in a working folder that holds settings.json: `folder` (the document's), `placeholders`, `number_sections`
--- and `image_extension`.

package.path = (PANDOC_SCRIPT_FILE:match("(.*[/\\])") or "") .. "?.lua"

local problems = require("problems")
local placeholders = require("placeholders")
local visibility = require("visibility")
local constructs = require("constructs")
local references = require("references")
local images = require("images")
local parts = require("parts")

local format = FORMAT:match("html") and "html" or FORMAT:match("typst") and "typst" or FORMAT
local writer = require(format)

local function read_settings()
  local file = assert(io.open("settings.json"))
  local settings = pandoc.json.decode(file:read("a"))
  file:close()
  return settings
end

local function write_constructs(doc, entries)
  local function float(element)
    local entry = entries[element.identifier]
    return entry and entry.kind ~= "sec" and writer.float(element, entry, references.names) or nil
  end
  -- In docx theme/word.lua writes floats, callouts and turned pages, as it does under Quarto.
  return doc:walk({
    Figure = writer.float and float,
    Div = writer.float and function(div)
      if constructs.callout_type(div) then return writer.callout(div) end
      if div.classes:includes("landscape") then return writer.landscape(div) end
      return float(div)
    end,
    RawBlock = function(raw) return raw.format == "tallybook" and writer.pagebreak() or nil end,
  })
end

function Pandoc(doc)
  local settings = read_settings()
  doc = placeholders.fill(doc, settings.placeholders)
  doc = visibility.apply(doc, format)
  constructs.check(doc)
  -- What follows relies on the shapes that have just been checked.
  problems.raise()
  doc = images.locate(doc, format, settings)
  doc = doc:walk({ Div = parts.title_callout })
  local entries, headings = references.index(doc, settings.number_sections)
  doc = references.link(doc, entries)
  doc = references.number_headings(doc, headings)
  problems.raise()
  return write_constructs(doc, entries)
end
