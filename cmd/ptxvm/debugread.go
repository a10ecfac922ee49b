package main

// This file says where the commands of the debugger come from.

import (
	"os"

	"golang.org/x/term"

	"ptxvm.invalid/ptxvm/internal/debug/console"
	"ptxvm.invalid/ptxvm/internal/launchlang"
)

// commands is where a session's commands come from.
func (f *debugFlags) commands(s streams, c *console.Console) (console.Reader, error) {
	if f.script != "" {
		file, err := launchlang.OpenFile(f.script)
		if err != nil {
			return nil, err
		}
		return console.Script(file), nil
	}
	in, isFile := s.in.(*os.File)
	if out, ok := s.out.(*os.File); ok && isFile && term.IsTerminal(int(in.Fd())) && term.IsTerminal(int(out.Fd())) && !dumb() {
		return console.Typist(in, out, c), nil
	}
	return console.Script(s.in), nil
}
