--- The one construct in docx that theme/word.lua leaves: breaks between pages.

local M = {}

function M.pagebreak() return pandoc.RawBlock("openxml", '<w:p><w:r><w:br w:type="page"/></w:r></w:p>') end

return M
