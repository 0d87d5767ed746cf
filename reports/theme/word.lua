--- What docx has of its own: numbered tables and figures whose captions count themselves, references that repeat what they
--- count (fields, counted anew with F9; until then a field shows what stands in it), alternative texts, callouts; no table
--- around any of them; turned pages.
--
-- Quarto runs it before its own filters, which then find none; Tallybook's embedded engine runs it behind its own filter.
-- The paragraphs have the styles of theme/reference.docx.

if not FORMAT:match("docx") then return {} end

local NAMES = { tbl = "Table", fig = "Figure" }
-- Bookmarks are numbered beyond the identifiers that pandoc gives its own.
local FIRST = { tbl = 100000, fig = 150000 }

local function raw(text) return pandoc.RawInline("openxml", text) end

--- The inlines of a field's result between the runs that make them a field.
local function field(instruction, shown)
  local begun = '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> ' .. instruction ..
    ' </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>'
  return pandoc.Inlines({ raw(begun), pandoc.Str(shown), raw('<w:r><w:fldChar w:fldCharType="end"/></w:r>') })
end

--- Names of bookmarks begin with an underscore: Word does not list them.
local function bookmark(entry, number_only)
  return (number_only and "_RefNumber_" or "_Ref_") .. NAMES[entry.kind] .. "_" .. entry.number
end

local function bookmarked(entry, number_only, inlines)
  local id = FIRST[entry.kind] + 2 * entry.number + (number_only and 1 or 0)
  inlines:insert(1, raw(string.format('<w:bookmarkStart w:id="%d" w:name="%s"/>', id, bookmark(entry, number_only))))
  inlines:insert(raw(string.format('<w:bookmarkEnd w:id="%d"/>', id)))
  return inlines
end

--- "Table 1: " of a caption, bookmarks around the label and around its number.
local function label(entry)
  local inlines = pandoc.Inlines({ pandoc.Str(NAMES[entry.kind] .. "\u{A0}") })
  local number = pandoc.Inlines({ pandoc.Str(entry.shown) })
  if entry.counts then number = field("SEQ " .. NAMES[entry.kind] .. " \\* ARABIC", entry.shown) end
  inlines:extend(bookmarked(entry, true, number))
  inlines = bookmarked(entry, false, inlines)
  inlines:insert(pandoc.Str(": "))
  return inlines
end

local function styled(blocks, style) return pandoc.Div(blocks, pandoc.Attr("", {}, { ["custom-style"] = style })) end

--- Where a float's division stands for a link; Quarto would number one with the float's own identifier.
local function target(identifier) return "float-" .. identifier end

--- A numbered table or figure: its caption in the style of its kind, images with their alternative texts.
local function float(element, entry)
  local content, caption = element.content:clone(), nil
  if element.t == "Figure" then
    caption = pandoc.utils.blocks_to_inlines(element.caption.long)
  else
    caption = content:remove(#content).content
  end
  local alternative = pandoc.utils.stringify(caption)
  content = content:walk({
    Image = function(image)
      image.caption = pandoc.Inlines({ pandoc.Str(image.attributes["fig-alt"] or alternative) })
      image.attributes["fig-alt"] = nil
      return image
    end,
    -- Quarto makes a figure of its own of an image that is a paragraph.
    Para = function(para) return #para.content == 1 and para.content[1].t == "Image" and pandoc.Plain(para.content) or nil end,
  })
  local numbered = label(entry)
  numbered:extend(caption)
  local blocks = entry.kind == "tbl" and pandoc.Blocks({ styled({ pandoc.Para(numbered) }, "Table Caption") }) or pandoc.Blocks({})
  blocks:extend(entry.kind == "tbl" and content or { styled(content, "Captioned Figure") })
  if entry.kind == "fig" then blocks:insert(styled({ pandoc.Para(numbered) }, "Image Caption")) end
  return pandoc.Div(blocks, pandoc.Attr(target(element.identifier)))
end

--- A callout's title: its attribute, a leading heading or the name of its type, in this order.
local function take_title(div, kind)
  local first = div.content[1]
  if div.attributes.title then return pandoc.utils.blocks_to_inlines(pandoc.read(div.attributes.title, "markdown").blocks) end
  if first and (first.t == "Header" or (first.t == "Div" and first.classes:includes("title-of-callout"))) then
    div.content:remove(1)
    return first.t == "Header" and first.content or first.content[1].content
  end
  return pandoc.Inlines({ pandoc.Str((kind:gsub("^%l", string.upper))) })
end

local function callout(div)
  local kind
  for _, class in ipairs(div.classes) do kind = kind or class:match("^callout%-(%l+)$") end
  if not kind then return nil end
  local title = take_title(div, kind)
  -- Pandoc gives a style of its own to Plain, the paragraphs of tight lists.
  local body = div.content:walk({ Plain = function(plain) return pandoc.Para(plain.content) end })
  return pandoc.Blocks({ styled({ pandoc.Para(title) }, "Callout Title"), styled(body, "Callout") })
end

--- The last paragraph of a section carries the section's page: what stood before is portrait, the division is landscape.
local function end_of_section(page)
  return pandoc.RawBlock("openxml", "<w:p><w:pPr><w:sectPr><w:pgSz " .. page .. '/><w:pgMar w:top="1440" w:right="1440" ' ..
    'w:bottom="1440" w:left="1440" w:header="720" w:footer="720" w:gutter="0"/></w:sectPr></w:pPr></w:p>')
end

local function landscape(div)
  local blocks = pandoc.Blocks({ end_of_section('w:w="11906" w:h="16838"') })
  blocks:extend(div.content)
  blocks:insert(end_of_section('w:w="16838" w:h="11906" w:orient="landscape"'))
  return blocks
end

--- Whether docx shows what a condition of Quarto's stands at.
local function is_shown(div)
  local visible, hidden = div.classes:includes("content-visible"), div.classes:includes("content-hidden")
  if not visible and not hidden then return true end
  local when, unless = div.attributes["when-format"], div.attributes["unless-format"]
  return ((when == nil or when == "docx") and unless ~= "docx") == visible
end

--- What is shown as a float's number: that of a publication (`printed-numbers`), S1, S2, ... beside these, else the count.
local function shown_numbers(meta)
  local own = meta["printed-numbers"]
  if not own then return function(_, _, number) return tostring(number) end end
  local taken, beside = {}, { tbl = 0, fig = 0 }
  for identifier, number in pairs(own) do taken[identifier:sub(1, 3) .. pandoc.utils.stringify(number)] = true end
  return function(identifier, kind)
    if own[identifier] then return pandoc.utils.stringify(own[identifier]) end
    repeat beside[kind] = beside[kind] + 1 until not taken[kind .. "S" .. beside[kind]]
    return "S" .. beside[kind]
  end
end

--- The document with its floats numbered in their order, and the floats' numbers by identifier.
local function numbered(doc)
  local entries, counted, shown = {}, { tbl = 0, fig = 0 }, shown_numbers(doc.meta)
  local function visit(element)
    local kind = element.identifier:match("^(%a+)%-")
    if element.t == "Div" and not is_shown(element) then return element, false end
    if not NAMES[kind] or (element.t == "Div" and (#element.content < 2 or element.content[#element.content].t ~= "Para")) then
      return nil
    end
    counted[kind] = counted[kind] + 1
    local entry = { kind = kind, number = counted[kind], counts = doc.meta["printed-numbers"] == nil }
    entry.shown = shown(element.identifier, kind, entry.number)
    entries[element.identifier] = entry
    return float(element, entries[element.identifier]), false
  end
  return doc:walk({ traverse = "topdown", Div = visit, Figure = visit }), entries
end

--- A reference's citations: those of floats as fields, others as they are.
local function referred(cite, entries)
  local inlines = pandoc.Inlines({})
  for index, citation in ipairs(cite.citations) do
    local entry = entries[citation.id]
    if index > 1 then inlines:extend({ pandoc.Str(","), pandoc.Space() }) end
    if entry then
      local number_only = citation.mode == "SuppressAuthor"
      local shown = (number_only and "" or NAMES[entry.kind] .. "\u{A0}") .. entry.shown
      local repeated = field("REF " .. bookmark(entry, number_only) .. " \\* MERGEFORMAT", shown)
      inlines:extend(citation.prefix)
      if #citation.prefix > 0 then inlines:insert(pandoc.Space()) end
      inlines:insert(pandoc.Link(repeated, "#" .. target(citation.id), "", pandoc.Attr("", { "quarto-xref" })))
      inlines:extend(citation.suffix)
    else
      inlines:insert(pandoc.Cite({ pandoc.Str("@" .. citation.id) }, { citation }))
    end
  end
  return inlines
end

function Pandoc(doc)
  local entries
  doc, entries = numbered(doc)
  return doc:walk({
    Div = function(div) return div.classes:includes("landscape") and landscape(div) or callout(div) end,
    Cite = function(cite)
      if cite.citations:find_if(function(citation) return entries[citation.id] ~= nil end) then return referred(cite, entries) end
    end,
    Link = function(link)
      if entries[link.target:sub(2)] then link.target = "#" .. target(link.target:sub(2)) end
      return link
    end,
  })
end
