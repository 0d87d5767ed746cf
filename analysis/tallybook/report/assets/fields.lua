--- Numbers in docx as fields, which Word counts anew (F9): captions count themselves, references repeat what they find
--- under a bookmark. Until then a field shows what stands in it, so a reader that knows no fields shows the same.

local M = {}

-- Beyond the identifiers that pandoc gives its own bookmarks.
local FIRST_BOOKMARK = 100000
local OFFSETS = { tbl = 0, fig = 50000 }

local function raw(text) return pandoc.RawInline("openxml", text) end

--- The inlines of a field's result between the runs that make them a field.
local function field(instruction, inlines)
  local begun = '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> ' .. instruction ..
    ' </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>'
  local made = pandoc.Inlines({ raw(begun) })
  made:extend(inlines)
  made:insert(raw('<w:r><w:fldChar w:fldCharType="end"/></w:r>'))
  return made
end

--- Names of bookmarks begin with an underscore: Word does not list them.
local function bookmark_name(entry, names, number_only)
  return (number_only and "_RefNumber_" or "_Ref_") .. names[entry.kind] .. "_" .. entry.number
end

local function bookmarked(entry, names, number_only, inlines)
  local id = FIRST_BOOKMARK + OFFSETS[entry.kind] + 2 * tonumber(entry.number) + (number_only and 1 or 0)
  local made = pandoc.Inlines({
    raw(string.format('<w:bookmarkStart w:id="%d" w:name="%s"/>', id, bookmark_name(entry, names, number_only))),
  })
  made:extend(inlines)
  made:insert(raw(string.format('<w:bookmarkEnd w:id="%d"/>', id)))
  return made
end

--- "Table 1" of a caption: a field that counts, bookmarks around it and around its number.
function M.label(entry, names)
  local number = field("SEQ " .. names[entry.kind] .. " \\* ARABIC", { pandoc.Str(entry.number) })
  local label = pandoc.Inlines({ pandoc.Str(names[entry.kind] .. "\u{A0}") })
  label:extend(bookmarked(entry, names, true, number))
  return bookmarked(entry, names, false, label)
end

--- The text of a reference to a caption as a field.
function M.reference(entry, names, number_only, text)
  return field("REF " .. bookmark_name(entry, names, number_only) .. " \\* MERGEFORMAT", { pandoc.Str(text) })
end

return M
