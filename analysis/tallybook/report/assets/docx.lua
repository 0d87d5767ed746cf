--- The constructs in docx: captioned paragraphs in the styles of theme/reference.docx, divisions as bookmarks.

local parts = require("parts")
local fields = require("fields")

local M = {}

-- A4 in twentieths of a point, with pandoc's own margins.
local SHORT, LONG = 11906, 16838

local function raw(text) return pandoc.RawBlock("openxml", text) end

local function styled(blocks, style) return pandoc.Div(blocks, pandoc.Attr("", {}, { ["custom-style"] = style })) end

function M.float(element, entry, names)
  local caption, content = parts.float_parts(element)
  content = parts.describe_images(content, caption)
  local numbered = fields.label(entry, names)
  numbered:insert(pandoc.Str(": "))
  numbered:extend(caption)
  local blocks = pandoc.Blocks({})
  if entry.kind == "tbl" then
    blocks:insert(styled({ pandoc.Para(numbered) }, "Table Caption"))
    blocks:extend(content)
  else
    blocks:insert(styled(content, "Captioned Figure"))
    blocks:insert(styled({ pandoc.Para(numbered) }, "Image Caption"))
  end
  return pandoc.Div(blocks, pandoc.Attr(element.identifier))
end

function M.callout(div)
  local title, body = parts.callout_parts(div)
  local blocks = pandoc.Blocks({ styled({ pandoc.Para(title) }, "Callout Title") })
  -- Pandoc gives a style of its own to Plain, the paragraphs of tight lists.
  blocks:insert(styled(body:walk({ Plain = function(plain) return pandoc.Para(plain.content) end }), "Callout"))
  return blocks
end

--- The last paragraph of a section carries the section's page: what stood before is portrait, the division is landscape.
local function end_of_section(width, height, orientation)
  return raw(string.format(
    '<w:p><w:pPr><w:sectPr><w:pgSz w:w="%d" w:h="%d"%s/>' ..
    '<w:pgMar w:top="1440" w:right="1440" w:bottom="1440" w:left="1440" w:header="720" w:footer="720" w:gutter="0"/>' ..
    "</w:sectPr></w:pPr></w:p>", width, height, orientation))
end

function M.landscape(div)
  local blocks = pandoc.Blocks({ end_of_section(SHORT, LONG, "") })
  blocks:extend(div.content)
  blocks:insert(end_of_section(LONG, SHORT, ' w:orient="landscape"'))
  return blocks
end

function M.pagebreak() return raw('<w:p><w:r><w:br w:type="page"/></w:r></w:p>') end

return M
