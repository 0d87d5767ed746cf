--- After the citations: metadata that only served the way here is dropped, for docx files would show it as properties.
--- Subtitle and abstract are properties that every reader of such files knows: subject and comments.

local KEPT = { title = true, subtitle = true, author = true, date = true, abstract = true, ["abstract-title"] = true, lang = true }

function Meta(meta)
  if not FORMAT:match("docx") then return nil end
  for key in pairs(meta) do
    if not KEPT[key] then meta[key] = nil end
  end
  if meta.subtitle then meta.subject = pandoc.utils.stringify(meta.subtitle) end
  if meta.abstract then meta.description = pandoc.utils.stringify(meta.abstract) end
  return meta
end
