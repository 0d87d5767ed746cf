--- The images of the project: found, checked and read here, for pandoc itself runs in its sandbox and reads no files.

local problems = require("problems")

local M = {}

local TYPES = {
  svg = "image/svg+xml", png = "image/png", jpg = "image/jpeg", jpeg = "image/jpeg", pdf = "application/pdf",
}
local READABLE = {
  html = { svg = true, png = true, jpg = true, jpeg = true },
  typst = { svg = true, png = true, jpg = true, jpeg = true, pdf = true },
  docx = { png = true, jpg = true, jpeg = true },
}

local function within_project(source)
  if source == "" or source:match("^[/\\]") or source:match("^%a[%w+.-]*:") then return false end
  for part in source:gmatch("[^/\\]+") do
    if part == ".." then return false end
  end
  return true
end

local function read(path)
  local file = io.open(path, "rb")
  if not file then return nil end
  local bytes = file:read("a")
  file:close()
  return bytes
end

--- The image with a source that the writer finds: the bag of media for html and docx, a copy beside it for typst.
local function locate(image, format, settings, copies)
  local written = image.src
  local extension = written:match("%.(%w+)$")
  if not extension then
    extension = settings.image_extension
    image.src = written .. "." .. extension
  end
  extension = extension:lower()
  if not within_project(image.src) then
    problems.add(written, "the image " .. written .. ": expected a path within the project")
    return image
  end
  if not READABLE[format][extension] then
    local hint = TYPES[extension] and ": leave the extension out and each format takes its own" or ""
    problems.add(written, "an image of type ." .. extension .. " in " .. format .. hint)
    return image
  end
  local bytes = read(settings.folder .. "/" .. image.src)
  if not bytes then
    problems.add(written, "the image " .. image.src .. " does not exist")
  elseif format == "typst" then
    copies[#copies + 1] = bytes
    image.src = "image-" .. #copies .. "." .. extension
    local copy = assert(io.open(image.src, "wb"))
    copy:write(bytes)
    copy:close()
  elseif format == "html" then
    image.src = pandoc.mediabag.make_data_uri(TYPES[extension], bytes)
  else
    pandoc.mediabag.insert(image.src, TYPES[extension], bytes)
  end
  return image
end

--- The document with every image read.
function M.locate(doc, format, settings)
  local copies = {}
  return doc:walk({ Image = function(image) return locate(image, format, settings, copies) end })
end

return M
