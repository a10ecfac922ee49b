package driver

// This file says all there is to say about what went wrong: the report, the call that allocated the memory beside it,
// and the lines of source.

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ptxvm.invalid/ptxvm/internal/kernelname"
	"ptxvm.invalid/ptxvm/internal/quote"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// detail is all that an error has to say, without a newline at its end. nvcc writes whole paths into programs; those below
// the working directory lose it.
func (d *Driver) detail(err error) string {
	var long interface{ Detail() string }
	if !errors.As(err, &long) {
		return err.Error()
	}
	var b strings.Builder
	b.WriteString(d.limit(err))
	b.WriteString(d.withOrigin(long.Detail(), err))
	b.WriteByte('\n')
	sources := quote.Sources{Dirs: nearby(), Exact: true}
	sources.Write(&b, quote.Of(err)...)
	for _, dir := range sources.Dirs {
		_ = dir.Close() // only read
	}
	text := strings.TrimSuffix(b.String(), "\n")
	if here, err := os.Getwd(); err == nil && here != "/" {
		text = strings.ReplaceAll(text, here+"/", "")
	}
	return text
}

// limit says which limit has ended a launch, on a line; nothing for other errors. Where its warps were comes behind.
func (d *Driver) limit(err error) string {
	var stopped *vm.StoppedError
	switch {
	case !errors.As(err, &stopped):
		return ""
	case errors.Is(stopped.Err, vm.ErrStepLimit):
		return fmt.Sprintf("step limit: kernel %s has executed more than %d warp instructions (--max-steps)\n",
			kernelname.Demangle(stopped.Kernel), d.cfg.Device.MaxSteps)
	}
	return fmt.Sprintf("timeout: kernel %s has run for more than %v (--timeout)\n",
		kernelname.Demangle(stopped.Kernel), d.cfg.Timeout)
}

// withOrigin adds to a fault's report where the allocation beside the address was made, behind the line about it.
func (d *Driver) withOrigin(text string, err error) string {
	var fault *vm.Fault
	if d.host.Origin == nil || !errors.As(err, &fault) || fault.Near == nil {
		return text
	}
	from, ok := d.host.Origin(fault.Near.Start)
	i := strings.Index(text, "\n  near:")
	if !ok || i < 0 {
		return text
	}
	end := i + 1 + len(text[i+1:])
	if n := strings.IndexByte(text[i+1:], '\n'); n >= 0 {
		end = i + 1 + n
	}
	return text[:end] + "\n  from:   " + from.String() + text[end:]
}

// nearby are the folders in which sources are looked for: the working directory and that of the program.
func nearby() (dirs []*os.Root) {
	names := []string{"."}
	if program, err := os.Executable(); err == nil {
		names = append(names, filepath.Dir(program))
	}
	for _, name := range names {
		if root, err := os.OpenRoot(name); err == nil { // what cannot be opened has no lines to show
			dirs = append(dirs, root)
		}
	}
	return dirs
}
