--- What all writers ask about a float, a callout or an image.

local constructs = require("constructs")

local M = {}

--- A callout with its title as first block, a division of class `title-of-callout`: the attribute, a leading heading or the
--- name of its type, in this order.
function M.title_callout(div)
  local kind = constructs.callout_type(div)
  if not kind then return nil end
  local title = pandoc.Inlines({ pandoc.Str(constructs.callout_names[kind] or kind) })
  if div.attributes.title then
    title = pandoc.utils.blocks_to_inlines(pandoc.read(div.attributes.title, "markdown").blocks)
    div.attributes.title = nil
  elseif div.content[1] and div.content[1].t == "Header" then
    title = div.content:remove(1).content
  end
  div.content:insert(1, pandoc.Div({ pandoc.Plain(title) }, pandoc.Attr("", { "title-of-callout" })))
  return div
end

--- The title's inlines and the other blocks of a callout that `title_callout` has made.
function M.callout_parts(div)
  local body = div.content:clone()
  local title = body:remove(1).content[1].content
  return title, body
end

--- The caption's inlines and the blocks of a numbered table or figure.
function M.float_parts(element)
  if element.t == "Figure" then
    return pandoc.utils.blocks_to_inlines(element.caption.long), element.content
  end
  local content = element.content:clone()
  local caption = content:remove(#content)
  return caption.content, content
end

--- "Table 1: " for a float.
function M.label(entry, names) return names[entry.kind] .. "\u{A0}" .. entry.number .. ": " end

--- Give an image its alternative text: `fig-alt`, else the caption of its figure.
function M.describe_images(blocks, caption)
  return blocks:walk({
    Image = function(image)
      local text = image.attributes["fig-alt"] or pandoc.utils.stringify(caption)
      image.attributes["fig-alt"] = nil
      image.caption = pandoc.Inlines({ pandoc.Str(text) })
      return image
    end,
  })
end

return M
