--- The constructs in HTML, with the classes that Quarto gives them.

local parts = require("parts")
local constructs = require("constructs")

local M = {}

local function raw(text) return pandoc.RawBlock("html", text) end

function M.float(element, entry, names)
  local caption, content = parts.float_parts(element)
  local caption_id = element.identifier .. "-caption"
  local place = entry.kind == "tbl" and "top" or "bottom"
  content = parts.describe_images(content, caption)
  local numbered = pandoc.Inlines({ pandoc.Str(parts.label(entry, names)) })
  numbered:extend(caption)
  local figcaption = pandoc.Blocks({
    raw(string.format('<figcaption id="%s" class="quarto-float-caption quarto-float-caption-%s">', caption_id, place)),
    pandoc.Plain(numbered),
    raw("</figcaption>"),
  })
  local body = pandoc.Div(content, pandoc.Attr("", {}, { ["aria-describedby"] = caption_id }))
  local blocks = pandoc.Blocks({ raw('<figure class="quarto-float quarto-float-' .. entry.kind .. '">') })
  if place == "top" then blocks:extend(figcaption) end
  blocks:insert(body)
  if place == "bottom" then blocks:extend(figcaption) end
  blocks:insert(raw("</figure>"))
  return pandoc.Div(blocks, pandoc.Attr(element.identifier, { "quarto-float", "quarto-figure" }))
end

function M.callout(div)
  local kind = constructs.callout_type(div)
  local title, body = parts.callout_parts(div)
  local name = constructs.callout_names[kind]
  if pandoc.utils.stringify(title) ~= name then
    -- The colour says the type to the eye; this says it to the ear.
    title:insert(1, pandoc.Span({ pandoc.Str(name .. ": ") }, pandoc.Attr("", { "screen-reader-only" })))
  end
  local collapse = div.attributes.collapse
  local blocks = pandoc.Blocks({})
  if collapse then
    blocks:extend({
      raw(string.format('<details class="callout callout-%s"%s>', kind, collapse == "false" and " open" or "")),
      raw('<summary class="callout-title">'),
      pandoc.Plain(title),
      raw("</summary>"),
    })
    blocks:extend(body)
    blocks:insert(raw("</details>"))
    return blocks
  end
  blocks:insert(pandoc.Div({ pandoc.Plain(title) }, pandoc.Attr("", { "callout-title" })))
  blocks:extend(body)
  return pandoc.Div(blocks, pandoc.Attr("", { "callout", "callout-" .. kind }, { role = "note" }))
end

function M.landscape(div) return div end

function M.pagebreak() return raw('<div style="page-break-after: always;"></div>') end

return M
