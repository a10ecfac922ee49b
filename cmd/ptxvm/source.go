package main

// This file reads PTX files and compiles them.

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/cli"
	"ptxvm.invalid/ptxvm/internal/launchlang"
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
	f, err := launchlang.OpenFile(file)
	if err != nil {
		return file, nil, usageError{err}
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		return file, nil, usageError{fmt.Errorf("%s is a directory; want a PTX file (check and fmt take %s/... for all below)", file, strings.TrimSuffix(file, "/"))}
	}
	var b bytes.Buffer
	if err == nil && info.Mode().IsRegular() {
		b.Grow(int(min(info.Size(), ptxvm.MaxSource)) + bytes.MinRead) // so that reading the end does not grow it
	}
	_, err = b.ReadFrom(io.LimitReader(f, ptxvm.MaxSource+1))
	return file, b.Bytes(), wrapUsage(err)
}

// readModule reads one FILE as PTX: CUDA C++ is compiled for arch, "" for a default.
func readModule(s streams, file, arch string) (name string, src []byte, err error) {
	if isCUDA(file) {
		return compileCUDA(s, file, arch)
	}
	name, src, err = readSource(s, file)
	if err == nil && file != "-" && isOptions(src) {
		err = usageError{fmt.Errorf("%s holds options, not PTX; did you mean ptxvm run @%s?", file, file)}
	}
	return name, src, err
}

// isOptions tells files of options, as examples and captures write them, by their first line, which no PTX begins with.
func isOptions(src []byte) bool {
	return bytes.HasPrefix(src, []byte("# ptxvm ")) || bytes.HasPrefix(src, []byte("--"))
}

func wrapUsage(err error) error {
	if err == nil {
		return nil
	}
	return usageError{err}
}

// compileFiles compiles every file, so that one run reports the errors of all of them.
func compileFiles(s streams, cfg *ptxvm.CompileConfig, files []string) ([]*ptxvm.Module, error) {
	return compileFilesWithin(context.Background(), 0, s, cfg, files)
}

// compileFilesWithin does so within limits (ptxvm.CompileContext).
func compileFilesWithin(ctx context.Context, memory int64, s streams, cfg *ptxvm.CompileConfig, files []string) ([]*ptxvm.Module, error) {
	var modules []*ptxvm.Module
	var all ptxvm.Diagnostics
	for _, file := range files {
		arch := ""
		if cfg != nil {
			arch = cfg.Arch
		}
		name, src, err := readModule(s, file, arch)
		if err != nil {
			return nil, err
		}
		texts, err := embedded(name, src, cfg)
		if err != nil {
			return nil, err
		}
		for _, text := range texts {
			m, err := ptxvm.CompileContext(ctx, text.name, text.text, memory, cfg)
			diags, rejected := asDiagnostics(err)
			if err != nil && !rejected {
				return nil, err
			}
			all = append(all, diags...)
			modules = append(modules, m)
		}
	}
	return modules, all.Err()
}

// withoutEnd is text without the NUL with which NVRTC ends its PTX.
func withoutEnd(src []byte) []byte {
	if text := bytes.TrimRight(src, "\x00"); bytes.IndexByte(text, '\n') >= 0 {
		return text
	}
	return src
}

// embedded returns the modules of a file: itself, or the PTX in a fat binary, a cubin or an executable. Of one without PTX
// the checker says what it is.
func embedded(name string, src []byte, cfg *ptxvm.CompileConfig) ([]source, error) {
	arch := ""
	if cfg != nil {
		arch = cfg.Arch
	}
	texts, ok, err := cli.ExtractPTX(src, arch)
	switch {
	case !ok:
		return []source{{name: name, text: withoutEnd(src)}}, nil
	case err != nil:
		return nil, usageError{fmt.Errorf("%s: %w", name, err)}
	case len(texts) == 1:
		return []source{{name: name, text: texts[0].PTX}}, nil
	}
	var list []source
	for i, m := range texts {
		list = append(list, source{name: nameOf(name, i), text: m.PTX, linked: m.Linked})
	}
	return list, nil
}

// nameOf is what messages call the i-th module of a file with several.
func nameOf(file string, i int) string { return fmt.Sprintf("%s:%d", file, i) }
