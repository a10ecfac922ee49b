(define-derived-mode ptx-mode prog-mode "PTX" (setq-local comment-start "// "))
(add-to-list 'auto-mode-alist '("\\.ptx\\'" . ptx-mode))
(with-eval-after-load 'eglot (add-to-list 'eglot-server-programs '(ptx-mode "ptxvm" "lsp")))
