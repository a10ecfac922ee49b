package main

// This file reads PTX files and compiles them.

import (
	"cmp"
	"fmt"
	"io"
	"os"

	"ptxvm"
)

// stdinName is what FILE - is called in messages.
const stdinName = "<stdin>"

// readSource reads one FILE; - is standard input. What cannot be read is a usage error. No
// more is read than a module may have: one byte beyond, so that the checker says so.
func readSource(s streams, file string) (name string, src []byte, err error) {
	if file == "-" {
		src, err = io.ReadAll(io.LimitReader(s.in, ptxvm.MaxSource+1))
		return cmp.Or(s.name, stdinName), src, wrapUsage(err)
	}
	f, err := os.Open(file)
	if err != nil {
		return file, nil, usageError{err}
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return file, nil, usageError{fmt.Errorf("%s is a directory; want a PTX file", file)}
	}
	src, err = io.ReadAll(io.LimitReader(f, ptxvm.MaxSource+1))
	return file, src, wrapUsage(err)
}

func wrapUsage(err error) error {
	if err == nil {
		return nil
	}
	return usageError{err}
}

// compileFiles compiles every file, so that one run reports the errors of all of them.
func compileFiles(s streams, cfg *ptxvm.CompileConfig, files []string) ([]*ptxvm.Module, error) {
	var modules []*ptxvm.Module
	var all ptxvm.Diagnostics
	for _, file := range files {
		name, src, err := readSource(s, file)
		if err != nil {
			return nil, err
		}
		m, err := ptxvm.Compile(name, src, cfg)
		diags, rejected := asDiagnostics(err)
		if err != nil && !rejected {
			return nil, err
		}
		all = append(all, diags...)
		modules = append(modules, m)
	}
	return modules, all.Err()
}
