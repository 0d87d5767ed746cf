--- Writes many tables as typst and docx in one run of `pandoc lua`.
--
-- Standard input is a JSON list of jobs, one for each table:
--   html        the table as HTML, its caption included
--   label       the label that refers to it in typst
--   alignments  Pandoc's alignment of each column, the stub first
--   size        the size of the type in typst, empty for the document's own
--   turned      whether the table stands along the page, on one of its own, in typst
--   breakable   whether the table may go on on the next page, in typst
--   docx        where to write the docx, empty for none
--   typst       whether to write typst
-- Standard output is a JSON list with the typst of each job, empty where none was asked for.

local OPTIONS = pandoc.WriterOptions { wrap_text = 'none' }
local HEAVY, LIGHT = '0.08em', '0.05em'

--- Typst markup that stands for exactly this text: no heading, list, reference, smart quote, dash or ellipsis in it.
local function typst_text(text)
  local escaped = text:gsub('[\\#$*_`<>@%[%]~"\'/-]', '\\%0'):gsub('%.%.', '.\\.')
  return (escaped:gsub('^[=+]', '\\%0'):gsub('^(%d+)%.$', '%1\\.'):gsub('\u{A0}', '~'))
end

local function typst_inlines(inlines)
  return inlines:walk { Str = function(str) return pandoc.RawInline('typst', typst_text(str.text)) end }
end

--- What a number lacks for its point to stand below the others': typst gives it room and hides it.
local function is_pad(span) return span.classes:includes('gt_pad') end

local function hidden(span)
  if is_pad(span) then return pandoc.RawInline('typst', '#hide[' .. typst_text(span.attributes.pad) .. ']') end
end

local function left_out(span)
  if is_pad(span) then return {} end
end

local function is_class(cell, class)
  return cell.attr.classes:includes(class)
end

local function each_cell(rows, visit)
  for number, row in ipairs(rows) do
    for _, cell in ipairs(row.cells) do visit(cell, number) end
  end
end

--- The table that great_tables' HTML describes, its columns aligned, and the paragraphs of its foot.
local function read(job)
  local blocks = pandoc.read(job.html, 'html').blocks
  assert(#blocks == 1 and blocks[1].t == 'Table', 'the HTML is not one table')
  local tbl = blocks[1]
  for number, alignment in ipairs(job.alignments) do tbl.colspecs[number] = { alignment, nil } end
  -- Pandoc takes a first row of <th>, which is a group's label, for a second head.
  for _, body in ipairs(tbl.bodies) do
    local rows = pandoc.List(body.head)
    rows:extend(body.body)
    body.head, body.body = {}, rows
    each_cell(rows, function(cell)
      if not is_class(cell, 'gt_group_heading') then cell.alignment = 'AlignDefault' end
    end)
  end
  each_cell(tbl.head.rows, function(cell)
    if not is_class(cell, 'gt_column_spanner_outer') then cell.alignment = 'AlignDefault' end
  end)
  local notes = pandoc.List()
  each_cell(tbl.foot.rows, function(cell) notes:insert(pandoc.utils.blocks_to_inlines(cell.contents)) end)
  tbl.foot = pandoc.TableFoot {}
  return tbl, notes
end

--- Puts one text in place of another that occurs exactly once.
local function replace_once(text, old, new)
  local first, last = text:find(old, 1, true)
  assert(first, 'Pandoc writes typst tables in another way than expected: no ' .. old)
  return text:sub(1, first - 1) .. new .. text:sub(last + 1)
end

local function replace_last(text, old, new)
  local reversed = replace_once(text:reverse(), old:reverse(), new:reverse())
  return reversed:reverse()
end

--- Pandoc's figure with a native table, with the rules and the notes that Pandoc has no words for.
local function typst(job, tbl, notes)
  tbl.identifier = job.label
  tbl.attributes['typst:inset'] = '(x: 0.2em, y: 0.35em)'
  tbl.attributes['typst:column-gutter'] = '0.5em'
  tbl.attributes['typst:stroke'] = 'none'
  if job.size ~= '' then tbl.attributes['typst:text:size'] = job.size end
  each_cell(tbl.head.rows, function(cell)
    if is_class(cell, 'gt_column_spanner_outer') then cell.attributes['typst:stroke'] = '(bottom: ' .. LIGHT .. ')' end
    if cell.row_span > 1 then
      cell.attributes['typst:align'] = (is_class(cell, 'gt_left') and 'left' or is_class(cell, 'gt_right') and 'right' or 'center') .. ' + bottom'
    end
  end)
  for _, body in ipairs(tbl.bodies) do
    each_cell(body.body, function(cell, number)
      if is_class(cell, 'gt_group_heading') and number > 1 then
        cell.attributes['typst:inset'] = '(x: 0.2em, top: 0.8em, bottom: 0.35em)'
      end
      if is_class(cell, 'gt_indent_1') then
        local label = pandoc.utils.blocks_to_inlines(cell.contents)
        label:insert(1, pandoc.RawInline('typst', '#pad(left: 1em)['))
        label:insert(pandoc.RawInline('typst', ']'))
        cell.contents = { pandoc.Plain(label) }
      end
    end)
  end
  tbl = tbl:walk { Str = function(str) return pandoc.RawInline('typst', typst_text(str.text)) end, Span = hidden }
  local text = pandoc.write(pandoc.Pandoc { tbl }, 'typst', OPTIONS)
  text = replace_once(text, '    table.header(', '    table.hline(stroke: ' .. HEAVY .. '),\n    table.header(')
  text = replace_once(text, '    table.hline(),\n', '    table.hline(stroke: ' .. LIGHT .. '),\n')
  local foot = '    table.hline(stroke: ' .. HEAVY .. '),\n  )'
  if #notes > 0 then
    local paragraphs = notes:map(function(note) return pandoc.Para(typst_inlines(note)) end)
    local content = pandoc.write(pandoc.Pandoc(paragraphs), 'typst', OPTIONS)
    local smaller = job.size == '' and '\n  #set text(size: 0.85em)' or ''
    foot = foot .. '\n  #set align(left)\n  #set par(spacing: 0.6em)' .. smaller .. '\n  ' .. content:gsub('%s+$', '') .. '\n  '
  end
  text = replace_last(text, '\n  )]\n', '\n' .. foot .. ']\n')
  if #tbl.caption.long > 0 then
    text = replace_last(text, '\n  , caption: [', '\n  , caption: figure.caption(position: top)[')
  end
  if job.breakable then
    local rules = '#show figure: set block(breakable: true)\n#show figure.caption: set block(sticky: true)\n'
    text = '#[\n' .. rules .. text .. ']\n'
  end
  if job.turned then text = '#page(flipped: true)[\n' .. text .. ']\n' end
  return text
end

--- A Word table with a caption before it and notes after it; `tallybook.tables.docx` draws its rules.
local function docx(tbl, notes)
  for _, body in ipairs(tbl.bodies) do
    each_cell(body.body, function(cell)
      local style = is_class(cell, 'gt_indent_1') and 'Table Label' or is_class(cell, 'gt_group_heading') and 'Table Group'
      if style then
        local paragraph = pandoc.Para(pandoc.utils.blocks_to_inlines(cell.contents))
        cell.contents = { pandoc.Div({ paragraph }, { ['custom-style'] = style }) }
      end
    end)
  end
  local blocks = pandoc.List { tbl:walk { Span = left_out } }
  for _, note in ipairs(notes) do
    blocks:insert(pandoc.Div({ pandoc.Para(note) }, { ['custom-style'] = 'Table Note' }))
  end
  return pandoc.write(pandoc.Pandoc(blocks), 'docx', OPTIONS)
end

local written = pandoc.List()
for _, job in ipairs(pandoc.json.decode(io.read('a'), false)) do
  local tbl, notes = read(job)
  written:insert(job.typst and typst(job, tbl:clone(), notes) or '')
  if job.docx ~= '' then
    local file = assert(io.open(job.docx, 'wb'))
    assert(file:write(docx(tbl, notes)))
    assert(file:close())
  end
end
io.write(pandoc.json.encode(written))
