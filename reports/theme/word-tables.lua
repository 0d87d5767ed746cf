--- Tables of docx as Word has them: rules below the head and below headings over several columns, header rows that a page
--- break repeats, rows that stay whole, decimal tabs, indented labels.
--
-- It runs behind theme/tables.lua, which reads and fits the tables; pandoc's own writer knows no rules within a table and no
-- tabs. The paragraphs have the styles of theme/reference.docx. A table with more than text in its cells is left to pandoc.

if not FORMAT:match("docx") then return {} end

-- Tables of up to so many rows stay on one page; of longer ones the first rows do, and the last.
local KEPT_ROWS, KEPT_ENDS = 16, 3
-- A table that takes so much of the line has its notes as its last row: LibreOffice parts a table from what follows it.
local ROOM_FOR_NOTES = 0.6
-- The size of the print in the styles, in half points.
local SIZE = 17
-- The margin of a cell on one side, in twentieths of a point (theme/reference.docx), and the width of a digit in em.
local MARGIN, DIGIT = 85, 0.5

local RULE = '<w:bottom w:val="single" w:sz="%d" w:space="%d" w:color="000000"/>'
local THIN, THICK = 4, 8
-- A paragraph that is not seen.
local THINNEST = '<w:p><w:pPr><w:spacing w:before="0" w:after="0" w:line="20" w:lineRule="exact"/></w:pPr></w:p>'
local SIDES = { AlignLeft = "left", AlignRight = "right", AlignCenter = "center", AlignDefault = "left" }
local ENTITIES = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }

local function escaped(text) return (text:gsub('[&<>"]', ENTITIES)) end

local MARKS = {
  Strong = "<w:b/><w:bCs/>", Emph = "<w:i/><w:iCs/>", Superscript = '<w:vertAlign w:val="superscript"/>',
  Subscript = '<w:vertAlign w:val="subscript"/>',
}
local BLANKS = { Space = true, SoftBreak = true }

--- The runs of inlines; nil where there is more than text.
local function runs(inlines, properties)
  local made = {}
  for _, inline in ipairs(inlines) do
    local text = inline.t == "Str" and inline.text or BLANKS[inline.t] and " "
    if text then
      made[#made + 1] = "<w:r><w:rPr>" .. properties .. '</w:rPr><w:t xml:space="preserve">' .. escaped(text) .. "</w:t></w:r>"
    elseif inline.t == "LineBreak" then
      made[#made + 1] = "<w:r><w:br/></w:r>"
    elseif MARKS[inline.t] then
      -- What raises a text stands last among the properties.
      local mark = MARKS[inline.t]
      local inner = runs(inline.content, mark:match("vertAlign") and properties .. mark or mark .. properties)
      if not inner then return nil end
      made[#made + 1] = inner
    else
      return nil
    end
  end
  return table.concat(made)
end

--- What stands behind the decimal point of a number, or of its whole part where it has none, in characters.
local function behind_point(text)
  local from = text:find("%d")
  if not from then return nil end
  local whole = text:match("^[%d,]*", from)
  local rest = text:sub(from + #whole)
  if from > 1 and text:sub(from - 1, from - 1) == "." then rest = text:sub(from - 1) end
  -- Word would take the point of another number for that of this one.
  if rest:find(".", 2, true) and rest:sub(1, 1) ~= "." then return nil end
  return utf8.len(rest) or #rest
end

--- Visit each cell of the rows with its first column (1-based) and its row, rows spanned from above respected.
-- `continued` is called for what a cell from above takes.
local function place(rows, visit, continued)
  local taken = {}
  for number, row in ipairs(rows) do
    local column = 1
    local function skip()
      while taken[column] and taken[column].left > 0 do
        local cell = taken[column]
        cell.left = cell.left - 1
        if continued then continued(cell, number) end
        column = column + cell.span
      end
    end
    for _, cell in ipairs(row.cells) do
      skip()
      visit(cell, column, number)
      if cell.row_span > 1 then taken[column] = { left = cell.row_span - 1, span = cell.col_span, column = column } end
      column = column + cell.col_span
    end
    skip()
  end
end

--- For each column with numbers that do not end alike: how many characters stand behind its points.
local function points_of(rows)
  local padded, behind, unknown = {}, {}, {}
  place(rows, function(cell, column)
    if cell.col_span > 1 then return end
    if (cell.attributes.pad or "") ~= "" then padded[column] = true end
    local text = pandoc.utils.stringify(cell.contents)
    local found = behind_point(text)
    if found then behind[column] = math.max(behind[column] or 0, found) elseif text:find("%d") then unknown[column] = true end
  end)
  local points = {}
  for column in pairs(padded) do
    if not unknown[column] then points[column] = behind[column] end
  end
  return points
end

local function paragraph(options, content)
  local properties = '<w:pStyle w:val="' .. options.style .. '"/>'
  if options.kept then properties = properties .. "<w:keepNext/>" end
  if options.ruled then properties = properties .. "<w:pBdr>" .. RULE:format(THIN, 1) .. "</w:pBdr>" end
  if options.tab then properties = properties .. '<w:tabs><w:tab w:val="decimal" w:pos="' .. options.tab .. '"/></w:tabs>' end
  if options.indented then properties = properties .. '<w:ind w:left="160"/>' end
  return "<w:p><w:pPr>" .. properties .. '<w:jc w:val="' .. (options.side or "left") .. '"/></w:pPr>' .. content .. "</w:p>"
end

local function cell_xml(width, span, merge, rule, bottom, whole, content)
  local properties = string.format('<w:tcW w:type="dxa" w:w="%d"/>', width)
  if span > 1 then properties = properties .. string.format('<w:gridSpan w:val="%d"/>', span) end
  if merge then properties = properties .. '<w:vMerge w:val="' .. merge .. '"/>' end
  if rule then properties = properties .. "<w:tcBorders>" .. RULE:format(rule, 0) .. "</w:tcBorders>" end
  if whole then properties = properties .. "<w:noWrap/>" end
  if bottom then properties = properties .. '<w:vAlign w:val="bottom"/>' end
  return "<w:tc><w:tcPr>" .. properties .. "</w:tcPr>" .. content .. "</w:tc>"
end

--- The table while it is written: its specifications, the widths of its columns and the size of its print.
local function sheet_of(tbl)
  local line = 20 * tonumber(tbl.attributes["print-line"])
  local size = math.floor(2 * tonumber(tbl.attributes["print-size"]))
  local sheet = { specs = tbl.colspecs, widths = {}, total = 0, line = line, size = size }
  sheet.run = size < SIZE and string.format('<w:sz w:val="%d"/><w:szCs w:val="%d"/>', size, size) or ""
  for column, spec in ipairs(tbl.colspecs) do
    sheet.widths[column] = math.floor(line * spec[2])
    sheet.total = sheet.total + sheet.widths[column]
  end
  return sheet
end

local function width_of(sheet, column, span)
  local width = 0
  for at = column, column + span - 1 do width = width + sheet.widths[at] end
  return width
end

--- The paragraphs of a cell; nil where there is more than text.
local function paragraphs(sheet, cell, options)
  local made = {}
  for _, block in ipairs(cell.contents) do
    if block.t ~= "Plain" and block.t ~= "Para" then return nil end
    local content = runs(block.content, sheet.run)
    if not content then return nil end
    made[#made + 1] = paragraph(options, content)
  end
  if #made == 0 then made[1] = paragraph(options, "") end
  return table.concat(made)
end

--- The rows of the head or of a body; nil where there is more than text in a cell. `closed`: whether a row of notes follows.
local function rows_xml(sheet, rows, is_head, kept, noted, closed)
  local points = is_head and {} or points_of(rows)
  local cells, complete = {}, true
  for number in ipairs(rows) do cells[number] = {} end
  local function rule_below(number) return number == #rows and (is_head and THIN or closed and THICK) or nil end
  local function put(number, column, xml) table.insert(cells[number], { column, xml }) end
  place(rows, function(cell, column, number)
    local bottom = number + cell.row_span - 1
    local group, spanner = cell.classes:includes("group"), is_head and cell.classes:includes("spanner")
    local alignment = cell.alignment == "AlignDefault" and sheet.specs[column][1] or cell.alignment
    local options = {
      style = is_head and "TableHeading" or group and "TableGroup" or "TableText",
      kept = not is_head and not group and (number < #rows and (kept or number < KEPT_ENDS or number > #rows - KEPT_ENDS) or number == #rows and noted),
      ruled = spanner and bottom < #rows and #cell.contents > 0,
      indented = cell.classes:includes("indented"),
      side = SIDES[alignment] or "left",
    }
    if points[column] and cell.col_span == 1 and options.side == "right" then
      local room = math.floor(points[column] * DIGIT * sheet.size * 10)
      local tab = sheet.widths[column] - 2 * MARGIN - room
      -- Without room before the point a number stands right, as its heading does.
      if tab > 0 then options.tab, options.side = tab, "left" end
    end
    local content = paragraphs(sheet, cell, options)
    if not content then
      complete = false
      return
    end
    local merge = cell.row_span > 1 and "restart" or nil
    put(number, column, cell_xml(width_of(sheet, column, cell.col_span), cell.col_span, merge, rule_below(bottom), is_head,
      not is_head and (options.tab ~= nil or options.side == "right"), content))
  end, function(above, number)
    local content = paragraph({ style = is_head and "TableHeading" or "TableText" }, "")
    put(number, above.column,
      cell_xml(width_of(sheet, above.column, above.span), above.span, "continue", rule_below(number), is_head, false, content))
  end)
  if not complete then return nil end
  local made = {}
  for number, row in ipairs(cells) do
    table.sort(row, function(one, other) return one[1] < other[1] end)
    local parts = { "<w:tr><w:trPr><w:cantSplit/>" .. (is_head and "<w:tblHeader/>" or "") .. "</w:trPr>" }
    for _, cell in ipairs(row) do parts[#parts + 1] = cell[2] end
    made[number] = table.concat(parts) .. "</w:tr>"
  end
  return table.concat(made)
end

--- What stands before the notes of a table in a row of their own.
local function before_notes(sheet)
  return '<w:tr><w:trPr><w:cantSplit/></w:trPr><w:tc><w:tcPr>' ..
    string.format('<w:tcW w:type="dxa" w:w="%d"/><w:gridSpan w:val="%d"/>', sheet.total, #sheet.specs) ..
    '<w:tcBorders><w:bottom w:val="nil"/></w:tcBorders></w:tcPr>'
end

--- The table, and whether it has a row for its notes, which nothing ends.
local function table_xml(tbl, noted)
  local sheet = sheet_of(tbl)
  local rows = pandoc.List()
  for _, body in ipairs(tbl.bodies) do
    rows:extend(body.head)
    rows:extend(body.body)
  end
  rows:extend(tbl.foot.rows)
  local kept = #rows <= KEPT_ROWS
  local within = noted and kept and sheet.total >= ROOM_FOR_NOTES * sheet.line
  local head, body = rows_xml(sheet, tbl.head.rows, true, kept), rows_xml(sheet, rows, false, kept, noted, within)
  if not head or not body then return nil end
  local grid = {}
  for column, width in ipairs(sheet.widths) do grid[column] = string.format('<w:gridCol w:w="%d"/>', width) end
  return '<w:tbl><w:tblPr><w:tblStyle w:val="RuledTable"/>' .. string.format('<w:tblW w:type="dxa" w:w="%d"/>', sheet.total) ..
    '<w:tblLayout w:type="fixed"/><w:tblLook w:val="0000" w:firstRow="0" w:lastRow="0" w:firstColumn="0" w:lastColumn="0" ' ..
    'w:noHBand="1" w:noVBand="1"/></w:tblPr><w:tblGrid>' .. table.concat(grid) .. "</w:tblGrid>" .. head .. body ..
    (within and before_notes(sheet) or "</w:tbl>"), within
end

--- A table of more than text keeps pandoc's form, in the styles of the theme.
local function left_to_pandoc(tbl)
  local function apply(rows, style)
    for _, row in ipairs(rows) do
      for _, cell in ipairs(row.cells) do
        -- Pandoc gives a style of its own to Plain.
        local blocks = cell.contents:walk({ Plain = function(plain) return pandoc.Para(plain.content) end })
        local own = cell.classes:includes("group") and "Table Group" or style
        if #blocks > 0 then cell.contents = { pandoc.Div(blocks, pandoc.Attr("", {}, { ["custom-style"] = own })) } end
      end
    end
  end
  apply(tbl.head.rows, "Table Heading")
  for _, body in ipairs(tbl.bodies) do
    apply(body.head, "Table Heading")
    apply(body.body, "Table Text")
  end
  apply(tbl.foot.rows, "Table Text")
  tbl.attributes["print-size"], tbl.attributes["print-line"] = nil, nil
  tbl.attributes["custom-style"] = "RuledTable"
  return tbl
end

local function is_note(block)
  return block and block.t == "Div" and (block.attributes["custom-style"] or ""):match("^Table Note") ~= nil
end

function Blocks(blocks)
  local made, open = pandoc.Blocks({}), false
  for at, block in ipairs(blocks) do
    local noted = is_note(blocks[at + 1])
    if block.t == "Table" and block.attributes["print-size"] then
      local xml
      xml, open = table_xml(block, noted)
      made:insert(xml and pandoc.RawBlock("openxml", xml) or left_to_pandoc(block))
      if xml and not noted then made:insert(pandoc.RawBlock("openxml", paragraph({ style = "TableText" }, ""))) end
    else
      made:insert(block)
      -- Word joins tables that touch, and wants a paragraph at the end of a cell that holds one.
      if open and not noted then
        made:insert(pandoc.RawBlock("openxml", "</w:tc></w:tr></w:tbl>" .. THINNEST))
        open = false
      end
    end
  end
  return made
end
