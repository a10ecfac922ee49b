-- Drives Neovim for TestNeovim: what it shows is written into out.txt.
local out = {}
vim.cmd('edit k.ptx')
local buf = vim.api.nvim_get_current_buf()
local function diagnostics(count)
  vim.wait(10000, function() return #vim.diagnostic.get(buf) == count end)
  return vim.diagnostic.get(buf)
end
for _, d in ipairs(diagnostics(1)) do
  table.insert(out, (d.lnum + 1) .. ':' .. (d.col + 1) .. ' ' .. d.message:gsub('\n.*', ''))
end
vim.api.nvim_buf_set_text(buf, 7, 7, 7, 8, { '2' })
table.insert(out, #diagnostics(0) .. ' diagnostics behind the correction')
vim.api.nvim_win_set_cursor(0, { 7, 10 })
vim.lsp.buf.rename('%count')
vim.wait(10000, function() return vim.api.nvim_buf_get_lines(buf, 5, 6, false)[1]:find('count') ~= nil end)
vim.list_extend(out, vim.api.nvim_buf_get_lines(buf, 5, 8, false))
vim.fn.writefile(out, 'out.txt')
vim.cmd('qa!')
