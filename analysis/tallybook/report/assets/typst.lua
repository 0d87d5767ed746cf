--- The constructs in typst, with the calls and kinds that Quarto writes, so that one header styles both engines' output.

local parts = require("parts")
local constructs = require("constructs")

local M = {}

local COLOURS = { note = "#1f5fbf", tip = "#1a7f4b", important = "#b3261e", warning = "#9a5b00", caution = "#b04a12" }

local function raw(text) return pandoc.RawBlock("typst", text) end

local function quoted(text)
  return '"' .. text:gsub("\\", "\\\\"):gsub('"', '\\"'):gsub("[\r\n]+", " ") .. '"'
end

--- An image with its alternative text, which pandoc's writer leaves out for an image that is no figure of its own.
local function image_call(image)
  local arguments = { quoted(image.src), "alt: " .. quoted(pandoc.utils.stringify(image.caption)) }
  if image.attributes.width then arguments[#arguments + 1] = "width: " .. image.attributes.width end
  return pandoc.RawInline("typst", "#box(image(" .. table.concat(arguments, ", ") .. "))")
end

function M.float(element, entry, names)
  local caption, content = parts.float_parts(element)
  local place = entry.kind == "tbl" and "top" or "bottom"
  content = parts.describe_images(content, caption):walk({ Image = image_call })
  local blocks = pandoc.Blocks({ raw("#figure([") })
  blocks:extend(content)
  blocks:extend({
    raw("], caption: figure.caption(position: " .. place .. ", ["),
    pandoc.Plain(caption),
    raw(string.format(']), kind: "quarto-float-%s", supplement: "%s")<%s>', entry.kind, names[entry.kind], element.identifier)),
  })
  return blocks
end

function M.callout(div)
  local kind = constructs.callout_type(div)
  local title, body = parts.callout_parts(div)
  local blocks = pandoc.Blocks({ raw(string.format('#callout(icon_color: rgb("%s"), title: [', COLOURS[kind])), pandoc.Plain(title), raw("], body: [") })
  blocks:extend(body)
  blocks:insert(raw("])"))
  return blocks
end

function M.landscape(div)
  local blocks = pandoc.Blocks({ raw("#set page(flipped: true)") })
  blocks:extend(div.content)
  blocks:insert(raw("#set page(flipped: false)"))
  return blocks
end

function M.pagebreak() return raw("#pagebreak()") end

return M
