--- Tables for paper: every table fits its page, and a table written in HTML becomes a table of the document.
--
-- Tallybook's tables stand in the sources as raw HTML. An HTML page takes them as they are. For typst and docx this filter
-- reads them into tables of the document: spans, column alignment (from `text-align` or great_tables' classes), decimal
-- points below each other, bold group headings with indented rows, header rows that a page break repeats, and the foot as
-- notes in small print below the table. What is too wide is set smaller, down to 7 pt, then turned with its page, and then
-- parted by its columns.
-- Quarto runs it (`filters:` in _quarto.yml, before its own filters) and so does Tallybook's embedded engine, so both
-- print the same table. It uses nothing but pandoc's own Lua. In docx theme/word-tables.lua writes what it has made.

local is_html = FORMAT:match("html") ~= nil
local is_typst = FORMAT:match("typst") ~= nil
local is_docx = FORMAT:match("docx") ~= nil

local ALIGNMENT = { left = "AlignLeft", right = "AlignRight", center = "AlignCenter", start = "AlignLeft", ["end"] = "AlignRight" }

-- The lines of an A4 page across and along it, the size of a table's print (theme/tallybook.typ, theme/reference.docx)
-- the smallest that is read with ease and the smallest that is read at all, what a cell's margins take (in points; more, for no number is broken), and how
-- much wider headings are.
local PRINT = {
  typst = { across = 470, along = 717, size = 8.5, least = 7, smallest = 5.5, padding = 8, heading = 1 },
  docx = { across = 440, along = 686, size = 8.5, least = 7, smallest = 5.5, padding = 10, heading = 1.08 },
}
local print_of = PRINT[is_docx and "docx" or "typst"]

-- The widths of characters in em, those of the theme's fonts or a little more.
local WIDTHS, OTHER = {}, 0.55
for characters, width in pairs({
  ["0123456789*"] = 0.5, ["iljtfr'.,:;|! ()[]/-I"] = 0.34, ["mw%"] = 0.83, ["abcdeghknopqsuvxyz"] = 0.5,
  ["ABCDEFGHJKLNOPQRSTUVXYZ"] = 0.7, ["MW"] = 0.95,
}) do
  for character in characters:gmatch(".") do WIDTHS[character] = width end
end
-- How much wider than its text a column is made where there is room, and a number where there is less.
local SLACK, SLACKS = 1.3, { 1.3, 1.2, 1.1 }
-- Labels of rows that are no longer than this (in em) stay on one line.
local LABEL = 15
-- From so many rows on a table that is narrow enough stands in parts beside each other, with this much room (in points).
local LONG, BETWEEN = 36, 24
-- A table of fewer rows is never parted by a page's end, or may be anywhere.
local FEW = 12

--- The width of a text in em.
local function em(text)
  local width = 0
  for _, code in utf8.codes(text) do
    local character = utf8.char(code)
    width = width + (character == "\u{A0}" and 0.34 or WIDTHS[character] or OTHER)
  end
  return width
end

--- What a number lacks for its point to stand below the others': room in typst, a mark for the other filter in docx.
local function is_pad(span) return span.classes:includes("gt_pad") end

local function hidden(pad)
  return pandoc.RawInline("typst", "#hide[" .. pad:gsub("[\\#$*_`<>@%[%]~\"'/=+%-]", "\\%0") .. "]")
end

--- Where a cell's text stands, by its style, which pandoc has mostly read, then by great_tables' classes.
local function alignment_of(cell)
  if cell.alignment ~= "AlignDefault" then return cell.alignment end
  local found = ALIGNMENT[(cell.attributes.style or ""):match("text%-align%s*:%s*(%a+)")]
  for _, class in ipairs(cell.classes) do
    found = found or ALIGNMENT[class:match("^gt_(%a+)$")]
  end
  return found or "AlignDefault"
end

--- What becomes of the spans and divisions that only carried HTML's looks.
local PLAIN = {
  Span = function(span)
    if not is_pad(span) then return span.content end
    return is_typst and pandoc.Inlines({ hidden(span.attributes.pad or "") }) or pandoc.Inlines({})
  end,
  Div = function(div) return div.content end,
}

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

--- The contents of a cell whose row is on one page with those below it (theme/tallybook.typ).
local function kept(name, contents)
  local made = pandoc.Blocks({ pandoc.RawBlock("typst", "#" .. name .. "[") })
  made:extend(contents)
  made:insert(pandoc.RawBlock("typst", "]"))
  return made
end

--- Simplify the cells: alignment where it differs from the column's, no attributes, group headings in bold.
local function settle(rows, specs)
  place(rows, function(cell, column)
    local alignment = alignment_of(cell)
    local whole_row = cell.col_span == #specs and #specs > 1
    local class, inset
    if cell.classes:includes("gt_indent_1") then class, inset = "indented", "indented-inset" end
    if cell.col_span > 1 or cell.classes:includes("gt_column_spanner_outer") then class = "spanner" end
    if whole_row and is_heading(cell) then
      cell.contents = strong(cell.contents)
      class, inset = "group", "group-inset"
    end
    if whole_row and alignment == "AlignDefault" then alignment = "AlignLeft" end
    cell.alignment = alignment == specs[column][1] and "AlignDefault" or alignment
    cell.attr = pandoc.Attr("", { class }, { pad = cell.attributes.pad, ["typst:inset"] = is_typst and inset or nil })
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

--- Keep the last three rows of a table on one page. Every cell of the first of them asks for the room, lest the row be parted.
local function keep_last(rows)
  local last = { table.unpack(rows, math.max(#rows - 2, 1)) }
  for _, row in ipairs(last) do
    if row.cells:find_if(function(cell) return cell.row_span > 1 or cell.classes:includes("group") end) then return end
  end
  if not is_typst or #rows < FEW then return end
  for _, cell in ipairs(last[1].cells) do cell.contents = kept("last-rows", cell.contents) end
end

local function sum(numbers)
  local total = 0
  for _, number in ipairs(numbers) do total = total + number end
  return total
end

local function widest_word(text)
  local widest = 0
  for word in text:gmatch("[^ ]+") do widest = math.max(widest, em(word)) end
  return widest
end

--- Spread what a heading over several columns needs beyond them; whether it does.
local function spread(widths, column, count, needed)
  local missing = needed
  for at = column, column + count - 1 do missing = missing - widths[at] end
  missing = missing - (count - 1) * print_of.padding / print_of.size
  if missing <= 0 then return false end
  for at = column, column + count - 1 do widths[at] = widths[at] + missing / count end
  return true
end

--- The longest line of each column and the least that it can do with, in em: headings and long texts wrap, numbers and
--- labels of rows do not. Whether a heading over several columns is wider than these, and how wide columns of numbers are.
-- @param tbl a table of the document, or the fields of one: reading the rows of a table that was made takes longer
local function extents(tbl)
  local lines, least, spanners, is_spread, numbers = {}, {}, {}, false, {}
  for column = 1, #tbl.colspecs do lines[column], least[column], numbers[column] = 1, 1, column > 1 and 1 or nil end
  local function measure(rows, is_head)
    place(rows, function(cell, column)
      local text, factor = pandoc.utils.stringify(cell.contents), is_head and print_of.heading or 1
      if cell.col_span > 1 then
        if is_head then spanners[#spanners + 1] = { column, cell.col_span, factor * em(text), factor * widest_word(text) } end
        return
      end
      local line = factor * em(text) + em(cell.attributes.pad or "") + (cell.classes:includes("indented") and 1 or 0)
      local is_label = column == 1 and line <= LABEL
      lines[column] = math.max(lines[column], line)
      if not is_head then numbers[column] = numbers[column] and not text:gsub("%de", ""):find("%a") and math.max(numbers[column], line) or nil end
      least[column] = math.max(least[column], is_label and not is_head and line or math.min(line, factor * widest_word(text) + line - factor * em(text)))
    end)
  end
  measure(tbl.head.rows, true)
  for _, body in ipairs(tbl.bodies) do
    measure(body.head, true)
    measure(body.body, false)
  end
  measure(tbl.foot.rows, false)
  for _, spanner in ipairs(spanners) do
    is_spread = spread(lines, spanner[1], spanner[2], spanner[3]) or is_spread
    spread(least, spanner[1], spanner[2], spanner[4])
  end
  return { lines = lines, least = least, is_spread = is_spread, numbers = numbers }
end

--- A table read from HTML, its extents, and its notes: the rows of the foot that are one cell wide.
local function from_html(read)
  local body, notes = pandoc.List(), pandoc.List()
  for _, part in ipairs(read.bodies) do
    body:extend(part.head)
    body:extend(part.body)
  end
  local head = read.head.rows
  if #head == 0 then head = leading_headings(body) end
  for _, row in ipairs(read.foot.rows) do
    if #row.cells == 1 then notes:insert(row.cells[1].contents) else body:insert(row) end
  end
  local specs = column_alignments(body, #read.colspecs)
  settle(head, specs)
  settle(body, specs)
  if #head > 0 then set_off(body[1]) end
  local bodies = { { attr = {}, body = body, head = {}, row_head_columns = 0 } }
  local measured = extents({ colspecs = specs, head = { rows = head }, bodies = bodies, foot = { rows = {} } })
  keep_last(body)
  return pandoc.Table({ long = {} }, specs, pandoc.TableHead(head), bodies, pandoc.TableFoot({})), measured, notes
end

--- Whether a table's words do not fit across the page in print that is read with ease.
local cramped = false

--- Columns as wide as their longest line where there is room, else as wide as they must be and a share of what is left.
--- Typst fits columns to their content by itself while there is room, but gives the last one all that a heading over several
--- needs; readers of docx do not all do so.
-- @return the size of the print in points, and in em what the columns must have
local function widen(tbl, line, measured)
  local lines, least, is_spread, numbers = measured.lines, measured.least, measured.is_spread, measured.numbers
  local room = line - print_of.padding * #tbl.colspecs
  local wanted, needed = sum(lines), sum(least)
  local size = math.min(print_of.size, room / needed)
  if size < print_of.least then cramped = true end
  if is_typst and not is_spread and wanted * print_of.size <= room then return size, needed end
  -- A reader's fonts may be wider than those that the file names: numbers must not break there.
  local narrow = wanted * size > room
  if is_docx and SLACK * wanted * size > room then
    for _, factor in ipairs(SLACKS) do
      local safe = {}
      for column = 1, #lines do safe[column] = math.max(least[column], factor * (numbers[column] or 0)) end
      if room / sum(safe) >= print_of.least then
        size, narrow = math.min(size, room / sum(safe)), true
        for column = 1, #lines do lines[column], least[column] = factor * lines[column], safe[column] end
        wanted, needed = sum(lines), sum(least)
        break
      end
    end
  end
  for column, spec in ipairs(tbl.colspecs) do
    local width = lines[column] * size * math.min(is_typst and 1 or SLACK, math.max(room / (wanted * size), 1))
    if narrow then
      local slack = wanted > needed and (room - needed * size) / (wanted - needed) or 0
      width = least[column] * size + (lines[column] - least[column]) * slack
    end
    tbl.colspecs[column] = { spec[1], (width + print_of.padding) / line }
  end
  return size, needed
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

--- The table made to fit a line (in points): by the widths of its columns, and in typst by `fitted` (theme/tallybook.typ),
--- which shrinks the print of a table whose words do not fit.
local function fitted(tbl, line, measured)
  local size, needed = widen(tbl, line, measured)
  if is_docx then
    tbl.attributes["print-size"], tbl.attributes["print-line"] = string.format("%.2f", size), tostring(line)
    return pandoc.Blocks({ tbl })
  end
  if not is_typst then return pandoc.Blocks({ tbl }) end
  -- The float around it is the figure: without this class pandoc would write another.
  if not tbl.classes:includes("typst:no-figure") then tbl.classes:insert("typst:no-figure") end
  place(tbl.head.rows, function(cell) cell.attributes.pad = nil end)
  for _, body in ipairs(tbl.bodies) do place(body.body, function(cell) cell.attributes.pad = nil end) end
  local call = string.format("#fitted(columns: %d, narrowest: %.1fem)[", #tbl.colspecs, needed)
  if measured.is_text then
    -- Written now, for all filters behind this one would take it apart again.
    local doc = pandoc.Pandoc({ tbl:walk({ Str = exact }) })
    tbl = pandoc.RawBlock("typst", pandoc.write(doc, "typst", { wrap_text = "wrap-none" }))
  end
  return pandoc.Blocks({ pandoc.RawBlock("typst", call), tbl, pandoc.RawBlock("typst", "]") })
end

--- The table with some of its columns behind the first.
local function with_columns(tbl, first, last)
  local part = tbl:clone()
  part.colspecs = pandoc.List({ tbl.colspecs[1] })
  for column = first, last do part.colspecs:insert(tbl.colspecs[column]) end
  local function cut(rows)
    local kept = {}
    place(rows, function(cell, column, row)
      local to = column + cell.col_span - 1
      local span = (column == 1 and 1 or 0) + math.max(math.min(to, last) - math.max(column, first) + 1, 0)
      kept[row] = kept[row] or pandoc.List()
      if span > 0 then kept[row]:insert({ cell, span }) end
    end)
    for row, cells in pairs(kept) do
      row.cells = cells:map(function(entry)
        entry[1].col_span = entry[2]
        return entry[1]
      end)
    end
  end
  cut(part.head.rows)
  for _, body in ipairs(part.bodies) do cut(body.body) end
  return part
end

--- The table, or its parts where even along the page it could not be read; no heading over several columns is parted.
local function parts_of(tbl, line, measured)
  local least, count, room = measured.least, #tbl.colspecs, line - print_of.padding * #tbl.colspecs
  if line ~= print_of.along or room / sum(least) >= print_of.smallest then return { { tbl, measured } } end
  local each = math.ceil((count - 1) / math.ceil(sum(least) * print_of.least / room))
  local is_within, made, first = {}, {}, 2
  place(tbl.head.rows, function(cell, column)
    for at = column, column + cell.col_span - 2 do is_within[at] = true end
  end)
  while first <= count do
    local last = math.min(first + each - 1, count)
    while last < count and is_within[last] do last = last + 1 end
    local part = with_columns(tbl, first, last)
    made[#made + 1] = { part, extents(part) }
    first = last + 1
  end
  return made
end

--- The table, or in print its rows in two or three tables beside each other where it is long and narrow; a group stays whole.
local function beside(tbl, line, measured)
  local rows, widths = tbl.bodies[1].body, measured.lines
  local width = sum(widths) * print_of.size + print_of.padding * #widths
  local count = math.min(3, math.floor((line + BETWEEN) / (width + BETWEEN)))
  if not is_typst or #rows < LONG or count < 2 then return fitted(tbl, line, measured) end
  local function starts(row) return row.cells[1].classes:includes("group") end
  local has_groups, made, first = rows:find_if(starts) ~= nil, pandoc.Blocks({}), 1
  for at = 1, count do
    local last = at == count and #rows or math.ceil(#rows * at / count)
    while has_groups and last < #rows and not starts(rows[last + 1]) do last = last + 1 end
    if first <= last then
      local part = tbl:clone()
      part.bodies[1].body = pandoc.List({ table.unpack(rows, first, last) })
      set_off(part.bodies[1].body[1])
      made:insert(pandoc.RawBlock("typst", first == 1 and "#beside([" or "], ["))
      made:extend(fitted(part, line, extents(part)))
    end
    first = last + 1
  end
  made:insert(pandoc.RawBlock("typst", "])"))
  return made
end

local function styled(blocks, style) return pandoc.Blocks({ pandoc.Div(blocks, pandoc.Attr("", {}, { ["custom-style"] = style })) }) end

local function small_print(notes)
  local blocks = pandoc.Blocks({})
  for _, note in ipairs(notes) do
    for _, block in ipairs(note) do blocks:insert(pandoc.Para(block.content)) end
  end
  if #blocks == 0 then return blocks end
  if not is_typst then
    -- On one page with the table and with each other.
    local last = pandoc.Blocks({ blocks:remove() })
    local made = #blocks > 0 and styled(blocks, "Table Note Kept") or pandoc.Blocks({})
    made:extend(styled(last, "Table Note"))
    return made
  end
  blocks:insert(1, pandoc.RawBlock("typst", "#table-notes["))
  blocks:insert(pandoc.RawBlock("typst", "]"))
  return blocks
end

-- The attributes of cells that only browsers use. They take pandoc long to read.
local BROWSERS = { headers = true, id = true, scope = true }

--- A cell's tag without these, with what its number lacks.
local function prepared(tag, inner)
  local pad = inner:match('class="gt_pad" data%-pad="([^"]*)"')
  local slim = tag:gsub('%s(%a+)="[^"]*"', function(name) return BROWSERS[name] and "" end)
  return slim .. (pad and ' data-pad="' .. pad .. '"' or "") .. inner
end

-- The elements of tables in which there is nothing but text, and so nothing for other filters to check or find.
local TEXT = {}
for name in ("table thead tbody tfoot tr td th strong em sub sup br span button"):gmatch("%a+") do TEXT[name] = true end

local function is_text(html)
  for name in html:gmatch("<([%a!?][^%s>/]*)") do
    if not TEXT[name] then return false end
  end
  return true
end

--- The blocks of one <table> element.
local function convert(html, line)
  -- pandoc moves rows of <th> cells about; as <td> with a mark they stay where they are (Quarto does the same).
  local marked = html:gsub("<[tT][hH]([%s>])", '<td data-heading="true"%1'):gsub("</[tT][hH]([%s>])", "</td%1")
  local blocks = pandoc.read((marked:gsub("(<td[^<>]*)(>.-</td)", prepared)), "html").blocks
  if #blocks ~= 1 or blocks[1].t ~= "Table" then error("an HTML table cannot be read: " .. html:sub(1, 80)) end
  local tbl, measured, notes = from_html(blocks[1]:walk(PLAIN))
  measured.is_text = is_text(html)
  local made = pandoc.Blocks({})
  for _, part in ipairs(parts_of(tbl, line, measured)) do made:extend(beside(part[1], line, part[2])) end
  made:extend(small_print(notes))
  return made
end

local function raw_block(raw, line)
  if raw.format ~= "html" or not raw.text:find("<[tT][aA][bB][lL][eE][%s>]") then return nil end
  local blocks = pandoc.Blocks({})
  for html in raw.text:gmatch("<[tT][aA][bB][lL][eE][%s>].-</[tT][aA][bB][lL][eE]%s*>") do
    if html:find("<[tT][aA][bB][lL][eE][%s>]", 2) then error("an HTML table within an HTML table: " .. html:sub(1, 80)) end
    blocks:extend(convert(html, line))
  end
  if #blocks == 0 then error("an HTML table without its end: " .. raw.text:sub(1, 80)) end
  return blocks
end

--- Every table, each once: from the outside in, and no further when one is found.
local function tables(blocks, line)
  return blocks:walk({
    traverse = "topdown",
    Div = function(div)
      if div.classes:includes("landscape") and line ~= print_of.along then
        div.content = tables(div.content, print_of.along)
        return div, false
      end
      if div.classes:includes("table-notes") then return small_print({ div.content }), false end
    end,
    Table = function(tbl) return fitted(tbl, line, extents(tbl)), false end,
    RawBlock = function(raw) return raw_block(raw, line), false end,
  })
end

--- What turns the page, written as it is: Quarto's own division for it asks docx for lengths.
local function turn(to_landscape)
  if is_typst then return pandoc.RawBlock("typst", "#set page(flipped: " .. tostring(to_landscape) .. ")") end
  -- The last paragraph of a section carries the section's page.
  local size = to_landscape and 'w:w="11906" w:h="16838"' or 'w:w="16838" w:h="11906" w:orient="landscape"'
  return pandoc.RawBlock("openxml", "<w:p><w:pPr><w:sectPr><w:pgSz " .. size .. '/><w:pgMar w:top="1440" w:right="1440" ' ..
    'w:bottom="1440" w:left="1440" w:header="720" w:footer="720" w:gutter="0"/></w:sectPr></w:pPr></w:p>')
end

--- The document's blocks. A numbered table that stands in the running text and does not fit across the page is turned;
--- tables that follow each other share the turned pages.
local function pages(blocks)
  local made, turned = pandoc.Blocks({}), false
  for _, block in ipairs(blocks) do
    cramped = false
    local fitting = tables(pandoc.Blocks({ block:clone() }), print_of.across)
    local turns = cramped and block.t == "Div" and block.identifier:match("^tbl%-") ~= nil
    -- A heading goes with the table below it.
    local headings = pandoc.Blocks({})
    while turns and not turned and #made > 0 and made[#made].t == "Header" do headings:insert(1, made:remove()) end
    if turns ~= turned then made:insert(turn(turns)) end
    made:extend(headings)
    turned = turns
    made:extend(turns and tables(pandoc.Blocks({ block }), print_of.along) or fitting)
  end
  if turned then made:insert(turn(false)) end
  return made
end

if is_html then return {} end

function Pandoc(doc)
  for _, line in ipairs({ "across", "along" }) do
    if doc.meta[line] then print_of[line] = tonumber(pandoc.utils.stringify(doc.meta[line])) end
  end
  doc.blocks = pages(doc.blocks)
  if is_typst then doc = doc:walk({ Str = exact }) end
  return doc
end
