--- What the filter refuses, gathered so that one run names everything, each with a text by which its line is found.

local M = {}

local found = pandoc.List({})

--- Note a problem. `needle` is a piece of the source near it; with `last`, the last place it occurs is meant.
function M.add(needle, message, last)
  found:insert({ needle = needle, message = message, last = last or false, place = "" })
end

--- Note a problem with a shortcode, whose place is known.
function M.add_at(item, message)
  found:insert({ needle = "", message = message, last = false, place = item.place })
end

--- Hand the problems to the program that started pandoc (problems.json in the working folder) and stop.
function M.raise()
  if #found == 0 then return end
  local file = assert(io.open("problems.json", "w"))
  file:write(pandoc.json.encode(found))
  file:close()
  error("the document was refused")
end

return M
