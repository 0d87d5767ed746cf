--- Tables for paper: every table fits its page, and a table written in HTML becomes a table of the document.
--
-- Tallybook's tables stand in the sources as raw HTML. An HTML page takes them as they are. For typst and docx this filter
-- reads them into tables of the document: spans, column alignment (from `text-align` or great_tables' classes), bold
-- group headings, header rows that a page break repeats, and the foot as notes in small print below the table.
-- Quarto runs it (`filters:` in _quarto.yml, before its own filters) and so does Tallybook's embedded engine, so both
-- print the same table. It uses nothing but pandoc's own Lua.

local is_html = FORMAT:match("html") ~= nil
local is_typst = FORMAT:match("typst") ~= nil
local is_docx = FORMAT:match("docx") ~= nil

local ALIGNMENT = { left = "AlignLeft", right = "AlignRight", center = "AlignCenter", start = "AlignLeft", ["end"] = "AlignRight" }

-- The width of an average character of a table, in em: digits and small letters of the text fonts lie just below.
local CHARACTER = 0.5

-- Characters of a table's print on a line of an A4 page (theme/tallybook.typ, theme/reference.docx), what a cell's
-- margins take, and how much wider a heading's characters are.
local PRINT = {
  typst = { portrait = 110, landscape = 168, padding = 2, heading = 1 },
  docx = { portrait = 104, landscape = 160, padding = 3, heading = 1.15 },
}
-- Tables of up to so many rows stay on one page in docx. (Typst measures for itself.)
local KEPT_ROWS = 30

local print_of = PRINT[is_docx and "docx" or "typst"]

--- Where a cell's text stands, by its style, then by great_tables' classes.
local function alignment_of(cell)
  local style = cell.attributes.style or ""
  local found = ALIGNMENT[style:match("text%-align%s*:%s*(%a+)")]
  for _, class in ipairs(cell.classes) do
    found = found or ALIGNMENT[class:match("^gt_(%a+)$")]
  end
  return found or cell.alignment
end

--- The cell's blocks without the spans and divisions that only carried HTML's looks.
local function plain_blocks(blocks)
  return blocks:walk({
    Span = function(span) return span.content end,
    Div = function(div) return div.content end,
  })
end

local function is_heading(cell) return cell.attributes.heading == "true" end

local function strong(blocks)
  local function embolden(block)
    local bold = #block.content == 1 and block.content[1].t == "Strong"
    if not bold then block.content = { pandoc.Strong(block.content) } end
    return block
  end
  return blocks:walk({ Plain = embolden, Para = embolden })
end

--- Give each cell of the rows its first column (1-based), rows spanned from above respected.
local function place(rows, visit)
  local taken = {}
  for _, row in ipairs(rows) do
    local column, next_taken = 1, {}
    for _, cell in ipairs(row.cells) do
      while (taken[column] or 0) > 0 do column = column + 1 end
      visit(cell, column, row)
      for spanned = column, column + cell.col_span - 1 do
        if cell.row_span > 1 then next_taken[spanned] = cell.row_span - 1 end
      end
      column = column + cell.col_span
    end
    for at, left in pairs(taken) do
      if left > 1 then next_taken[at] = left - 1 end
    end
    taken = next_taken
  end
end

--- The first alignment that the body gives each column; headings say nothing about a column of numbers.
local function column_alignments(rows, count)
  local found = {}
  place(rows, function(cell, column)
    local alignment = alignment_of(cell)
    if cell.col_span == 1 and alignment ~= "AlignDefault" then found[column] = found[column] or alignment end
  end)
  local specs = {}
  for column = 1, count do specs[column] = { found[column] or "AlignDefault", nil } end
  return specs
end

--- Simplify the cells: alignment where it differs from the column's, no attributes, group headings in bold.
local function settle(rows, specs)
  place(rows, function(cell, column)
    local alignment = alignment_of(cell)
    local whole_row = cell.col_span == #specs and #specs > 1
    cell.contents = plain_blocks(cell.contents)
    local group = whole_row and is_heading(cell)
    if whole_row and alignment == "AlignDefault" then alignment = "AlignLeft" end
    cell.alignment = alignment == specs[column][1] and "AlignDefault" or alignment
    cell.attr = pandoc.Attr()
    if group then
      cell.contents = strong(cell.contents)
      cell.classes = { "group" }
      if is_typst then cell.attributes["typst:inset"] = "group-inset" end
    end
  end)
  for _, row in ipairs(rows) do row.attr = pandoc.Attr() end
end

--- Rows before the first that has a data cell: the head of a table without <thead>.
local function leading_headings(rows)
  local head = pandoc.List()
  while rows[1] and #rows[1].cells > 0 and rows[1].cells:find_if(function(cell) return not is_heading(cell) end) == nil do
    head:insert(rows:remove(1))
  end
  return head
end

--- Give the first row some room below the line under the head; a group's heading has its own.
local function set_off(row)
  for _, cell in ipairs(row and row.cells or {}) do
    if is_typst and not cell.attributes["typst:inset"] then cell.attributes["typst:inset"] = "first-inset" end
  end
end

--- A table read from HTML, and its notes: the rows of the foot that are one cell wide.
local function from_html(read)
  local body, notes = pandoc.List(), pandoc.List()
  for _, part in ipairs(read.bodies) do
    body:extend(part.head)
    body:extend(part.body)
  end
  local head = read.head.rows
  if #head == 0 then head = leading_headings(body) end
  for _, row in ipairs(read.foot.rows) do
    if #row.cells == 1 then notes:insert(plain_blocks(row.cells[1].contents)) else body:insert(row) end
  end
  local specs = column_alignments(body, #read.colspecs)
  settle(head, specs)
  settle(body, specs)
  if #head > 0 then set_off(body[1]) end
  local made = pandoc.Table(
    { long = {} }, specs, pandoc.TableHead(head), { { attr = {}, body = body, head = {}, row_head_columns = 0 } },
    pandoc.TableFoot({})
  )
  return made, notes
end

--- The longest line and the longest unbreakable word of each column, in characters.
local function extents(tbl)
  local lines, words = {}, {}
  for column = 1, #tbl.colspecs do lines[column], words[column] = 1, 1 end
  local function measure(rows, factor)
    place(rows, function(cell, column)
      if cell.col_span > 1 then return end
      local text = pandoc.utils.stringify(cell.contents)
      lines[column] = math.max(lines[column], factor * pandoc.text.len(text))
      for word in text:gmatch("[^%s%-/]+") do words[column] = math.max(words[column], factor * pandoc.text.len(word)) end
    end)
  end
  measure(tbl.head.rows, print_of.heading)
  for _, body in ipairs(tbl.bodies) do
    measure(body.head, 1)
    measure(body.body, 1)
  end
  measure(tbl.foot.rows, 1)
  return lines, words
end

local function sum(numbers)
  local total = 0
  for _, number in ipairs(numbers) do total = total + number end
  return total
end

--- Columns as wide as their longest line where there is room, else as wide as the longest word and a share of what is
--- left. Typst fits columns to their content by itself while there is room; readers of docx do not all do so.
local function widen(tbl, characters)
  local lines, words = extents(tbl)
  local room = characters - print_of.padding * #tbl.colspecs
  local wanted, least = sum(lines), sum(words)
  if is_typst and wanted <= room then return end
  for column, spec in ipairs(tbl.colspecs) do
    local width = lines[column]
    if least >= room then
      width = words[column] * room / least
    elseif wanted > room then
      width = words[column] + (lines[column] - words[column]) * (room - least) / (wanted - least)
    end
    tbl.colspecs[column] = { spec[1], (width + print_of.padding) / characters }
  end
end

local function styled(blocks, style) return pandoc.Blocks({ pandoc.Div(blocks, pandoc.Attr("", {}, { ["custom-style"] = style })) }) end

--- The cells in the paragraph styles of theme/reference.docx. The rows of a table that fits a page are kept together.
local function in_styles(tbl)
  local count = 0
  for _, body in ipairs(tbl.bodies) do count = count + #body.body end
  local function apply(rows, style_of)
    for index, row in ipairs(rows) do
      for _, cell in ipairs(row.cells) do
        local style = cell.classes:includes("group") and "Table Group" or style_of(index, #rows)
        -- Pandoc gives a style of its own to Plain.
        local paragraphs = cell.contents:walk({ Plain = function(plain) return pandoc.Para(plain.content) end })
        if #paragraphs > 0 then cell.contents = styled(paragraphs, style) end
      end
    end
  end
  local function heading() return "Table Heading" end
  local function text(index, last) return count <= KEPT_ROWS and index < last and "Table Text Kept" or "Table Text" end
  apply(tbl.head.rows, heading)
  for _, body in ipairs(tbl.bodies) do
    apply(body.head, heading)
    apply(body.body, text)
  end
  apply(tbl.foot.rows, text)
  return tbl
end

--- The table made to fit a page: by the widths of its columns, and in typst by `fitted` (theme/tallybook.typ), which
--- shrinks the print of a table whose words do not fit.
local function fitted(tbl, characters)
  widen(tbl, characters)
  if is_docx then return pandoc.Blocks({ in_styles(tbl) }) end
  if not is_typst then return pandoc.Blocks({ tbl }) end
  -- The float around it is the figure: without this class pandoc would write another.
  if not tbl.classes:includes("typst:no-figure") then tbl.classes:insert("typst:no-figure") end
  local _, words = extents(tbl)
  local call = string.format("#fitted(columns: %d, narrowest: %.1fem)[", #tbl.colspecs, sum(words) * CHARACTER)
  return pandoc.Blocks({ pandoc.RawBlock("typst", call), tbl, pandoc.RawBlock("typst", "]") })
end

local function small_print(notes)
  local blocks = pandoc.Blocks({})
  for _, note in ipairs(notes) do
    for _, block in ipairs(note) do blocks:insert(pandoc.Para(block.content)) end
  end
  if #blocks == 0 then return blocks end
  if not is_typst then return styled(blocks, "Table Note") end
  blocks:insert(1, pandoc.RawBlock("typst", "#table-notes["))
  blocks:insert(pandoc.RawBlock("typst", "]"))
  return blocks
end

--- The blocks of one <table> element.
local function convert(html, characters)
  -- pandoc moves rows of <th> cells about; as <td> with a mark they stay where they are (Quarto does the same).
  local marked = html:gsub("<[tT][hH]([%s>])", '<td data-heading="true"%1'):gsub("</[tT][hH]([%s>])", "</td%1")
  local blocks = pandoc.read(marked, "html").blocks
  if #blocks ~= 1 or blocks[1].t ~= "Table" then error("an HTML table cannot be read: " .. html:sub(1, 80)) end
  local tbl, notes = from_html(blocks[1])
  local made = fitted(tbl, characters)
  made:extend(small_print(notes))
  return made
end

local function raw_block(raw, characters)
  if raw.format ~= "html" or not raw.text:find("<[tT][aA][bB][lL][eE][%s>]") then return nil end
  local blocks = pandoc.Blocks({})
  for html in raw.text:gmatch("<[tT][aA][bB][lL][eE][%s>].-</[tT][aA][bB][lL][eE]%s*>") do
    if html:find("<[tT][aA][bB][lL][eE][%s>]", 2) then error("an HTML table within an HTML table: " .. html:sub(1, 80)) end
    blocks:extend(convert(html, characters))
  end
  if #blocks == 0 then error("an HTML table without its end: " .. raw.text:sub(1, 80)) end
  return blocks
end

--- Every table, each once: from the outside in, and no further when one is found.
local function tables(blocks, characters)
  return blocks:walk({
    traverse = "topdown",
    Div = function(div)
      if div.classes:includes("landscape") and characters ~= print_of.landscape then
        div.content = tables(div.content, print_of.landscape)
        return div, false
      end
    end,
    Table = function(tbl) return fitted(tbl, characters), false end,
    RawBlock = function(raw) return raw_block(raw, characters), false end,
  })
end

--- Text in which typst would set an ellipsis for dots, or a minus for a hyphen that belongs to no number. (In prose the
--- reader has made ellipses and dashes already: dots and hyphens that are left are meant.)
local function exact(str)
  local text = str.text
  local is_number = text:match("^[%(%[]?%-%d[%d.,]*%%?%**[%)%],.;:]*$") or text:match("^%-%d[%d.]*e[+-]?%d+%**$")
  local marked = text:gsub("%.%.+", "\1%0\1")
  if not is_number then marked = (" " .. marked):gsub("([^%w\128-\255])%-%f[%d]", "%1\1-\1"):sub(2) end
  if marked == text then return nil end
  local parts = pandoc.Inlines({})
  local is_raw = false
  for part in (marked .. "\1"):gmatch("([^\1]*)\1") do
    if part ~= "" then
      parts:insert(is_raw and pandoc.RawInline("typst", (part:gsub(".", "\\%0"))) or pandoc.Str(part))
    end
    is_raw = not is_raw
  end
  return parts
end

if is_html then return {} end

function Pandoc(doc)
  doc.blocks = tables(doc.blocks, print_of.portrait)
  if is_typst then doc = doc:walk({ Str = exact }) end
  return doc
end
