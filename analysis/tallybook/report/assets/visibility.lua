--- Conditional content: `.content-visible` and `.content-hidden` with `when-format` and `unless-format`.

local problems = require("problems")

local M = {}

local FORMATS = { html = true, typst = true, docx = true }

local function holds(element, format)
  local matched, conditions = true, 0
  for name, value in pairs(element.attributes) do
    conditions = conditions + 1
    if name ~= "when-format" and name ~= "unless-format" then
      problems.add(name, "unknown condition " .. name .. ": when-format and unless-format are supported")
    elseif value == "pdf" then
      problems.add(name .. '="pdf"', name .. '="pdf" means LaTeX to Quarto: write "typst"')
    elseif not FORMATS[value] then
      problems.add(name, "unknown format " .. value .. " in " .. name .. ": html, typst and docx are supported")
    end
    if name == "when-format" then matched = matched and value == format end
    if name == "unless-format" then matched = matched and value ~= format end
  end
  if conditions == 0 then problems.add("content-", "conditional content without a condition") end
  return matched
end

local function select(element, format)
  local shown
  for _, class in ipairs(element.classes) do
    if class == "content-visible" then shown = true end
    if class == "content-hidden" then shown = false end
  end
  if shown == nil then return nil end
  if #element.classes > 1 or element.identifier ~= "" then
    problems.add(element.classes[1], "conditional content takes no other class and no identifier: put one division into the other")
  end
  if holds(element, format) == shown then return element.content end
  return {}
end

--- The document as the format shows it.
function M.apply(doc, format)
  return doc:walk({
    Div = function(div) return select(div, format) end,
    Span = function(span) return select(span, format) end,
  })
end

return M
