package cc

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/jit/native"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
)

// ErrNoCompiler says that there is no C compiler.
var ErrNoCompiler = errors.New("neither clang nor gcc is installed")

// flags make a library of one file that computes what the text says, each rounding where it has it. -O3 gains nothing: the text
// is vectors already.
var flags = []string{"-x", "c", "-std=gnu11", "-O2", "-mavx2", "-mfma", "-mbmi", "-mbmi2", "-mpopcnt", "-mtune=native", "-ffp-contract=off", "-fno-math-errno",
	"-fno-trapping-math", "-fwrapv", "-fno-strict-aliasing", "-ffreestanding", "-fno-stack-protector", "-fno-asynchronous-unwind-tables", "-fvisibility=hidden", "-fPIC",
	"-w", "-shared", "-nostdlib", "-Wl,--build-id=none"}

// compilers are those that are looked for, in order, with the flag that keeps each from calling memset. clang folds vectors that
// gcc leaves as they are written: of 16 kernels its code was as fast for two, and up to four times as fast for the others.
var compilers = []struct{ name, flag string }{{"clang", "-fno-builtin"}, {"gcc", "-fno-tree-loop-distribute-patterns"}}

// Compiler is the path of the compiler that is used, and its own flag.
func Compiler() (path, flag string, err error) {
	for _, c := range compilers {
		if path, err := exec.LookPath(c.name); err == nil {
			return path, c.flag, nil
		}
	}
	return "", "", ErrNoCompiler
}

// Code is a compiled function.
type Code struct {
	code *native.Code
	off  int
}

// Compile compiles what Print has made of a placed function.
func Compile(text string) (*Code, error) {
	image, off, err := build(text)
	if err != nil {
		return nil, err
	}
	code, err := native.New(image)
	if err != nil {
		return nil, err
	}
	return &Code{code, off}, nil
}

// Call runs the code; how says where it is entered: Batch or BeginCTA.
func (c *Code) Call(s *abi.State, how uintptr) error {
	return native.CallOn(c.code.Addr(c.off), unsafe.Pointer(s), uint64(how))
}

// Free gives the memory back. The code must not run any more.
func (c *Code) Free() error { return c.code.Free() }

// build compiles text to an image in memory order, and says where in it the function begins.
func build(text string) (image []byte, off int, err error) {
	compiler, flag, err := Compiler()
	if err != nil {
		return nil, 0, err
	}
	dir, err := os.MkdirTemp("", "ptxvm-cc")
	if err != nil {
		return nil, 0, err
	}
	defer os.RemoveAll(dir)
	source, library := filepath.Join(dir, "kernel.c"), filepath.Join(dir, "kernel.so")
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		return nil, 0, err
	}
	args := slices.Concat(flags, []string{flag, "-o", library, source})
	if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
		return nil, 0, fmt.Errorf("%w\n%s", err, bytes.TrimSpace(out))
	}
	file, err := os.ReadFile(library)
	if err != nil {
		return nil, 0, err
	}
	return load(file)
}

// maxImage is how much memory code may want.
const maxImage = 16 << 20

// load lays a library out in memory as it is to lie there. It must need nothing: no other symbols, no relocations, no variables.
func load(file []byte) (image []byte, off int, err error) {
	f, err := elf.NewFile(bytes.NewReader(file))
	if err != nil {
		return nil, 0, err
	}
	for _, s := range f.Sections {
		switch {
		case s.Type == elf.SHT_REL || s.Type == elf.SHT_RELA:
			if s.Size != 0 {
				return nil, 0, fmt.Errorf("the compiled code has relocations (%s)", s.Name)
			}
		case s.Flags&(elf.SHF_WRITE|elf.SHF_ALLOC) == elf.SHF_WRITE|elf.SHF_ALLOC && s.Type != elf.SHT_DYNAMIC && s.Size != 0 && s.Name != ".got.plt":
			return nil, 0, fmt.Errorf("the compiled code has variables (%s)", s.Name)
		}
	}
	for _, p := range f.Progs {
		if p.Type != elf.PT_LOAD || p.Filesz == 0 {
			continue
		}
		if end := p.Vaddr + p.Filesz; end > maxImage || p.Filesz > uint64(len(file)) {
			return nil, 0, fmt.Errorf("the compiled code has %d bytes", end)
		} else if uint64(len(image)) < end {
			image = append(image, make([]byte, end-uint64(len(image)))...)
		}
		if _, err := p.ReadAt(image[p.Vaddr:p.Vaddr+p.Filesz], 0); err != nil {
			return nil, 0, err
		}
	}
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return nil, 0, err
	}
	for _, s := range symbols {
		switch {
		case s.Section == elf.SHN_UNDEF:
			return nil, 0, fmt.Errorf("the compiled code wants %s", s.Name)
		case s.Name == Entry && s.Value < uint64(len(image)):
			return image, int(s.Value), nil
		}
	}
	return nil, 0, fmt.Errorf("the compiled code has no function %s", Entry)
}
