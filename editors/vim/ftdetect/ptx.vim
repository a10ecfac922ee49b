autocmd BufRead,BufNewFile *.ptx if getline(1) !~# '^<' | setfiletype ptx | endif
