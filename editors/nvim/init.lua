vim.filetype.add({ extension = { ptx = 'ptx' } })
vim.lsp.config('ptxvm', { cmd = { 'ptxvm', 'lsp' }, filetypes = { 'ptx' } })
vim.lsp.enable('ptxvm')
