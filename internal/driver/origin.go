package driver

import (
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"ptxvm.invalid/ptxvm/internal/kernelname"
)

// Origin is where memory was allocated.
type Origin struct {
	By    string // the function of CUDA, "cudaMalloc"
	Calls []Call // that led to it, innermost first; empty if not known
}

// Call is a place in the program.
type Call struct {
	File   string // the program or a library of its
	Offset uint64 // of the return address, from where the file is loaded
}

// String is the call as people look for it: "cudaMalloc, called by main (vectoradd.cu:21)" where the file has line
// information, "… main (vectoradd+0x14bc)" where it has symbols, else the offset alone. Calls by templates of the same name,
// which CUDA's headers have, are passed over.
func (o Origin) String() string {
	for i, c := range o.Calls {
		function, line := place(c.File, c.Offset)
		if strings.Contains(function, o.By+"<") && i+1 < len(o.Calls) {
			continue
		}
		if line == "" {
			line = fmt.Sprintf("%s+%#x", filepath.Base(c.File), c.Offset)
		}
		if function != "" {
			line = fmt.Sprintf("%s (%s)", function, line)
		}
		return fmt.Sprintf("%s, called by %s", o.By, line)
	}
	return o.By
}

// place finds the function and the line of a call by its return address. Both are empty where the file does not tell.
func place(path string, offset uint64) (function, line string) {
	f, err := elf.Open(path)
	if err != nil {
		return "", ""
	}
	defer f.Close()
	pc := base(f) + offset - 1 // in the call, not behind it
	symbols, _ := f.Symbols()  // a stripped file has none
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && pc >= s.Value && pc-s.Value < s.Size {
			function = kernelname.Demangle(s.Name)
		}
	}
	if data, err := f.DWARF(); err == nil {
		line = lineOf(data, pc)
	}
	return function, line
}

// base is the address at which a file asks to be loaded: 0 for one that may lie anywhere.
func base(f *elf.File) uint64 {
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD {
			return p.Vaddr &^ (max(p.Align, 1) - 1)
		}
	}
	return 0
}

// lineOf is FILE:LINE of an address, empty if no unit has it.
func lineOf(data *dwarf.Data, pc uint64) string {
	unit, err := data.Reader().SeekPC(pc)
	if err != nil || unit == nil {
		return ""
	}
	lines, err := data.LineReader(unit)
	if err != nil || lines == nil {
		return ""
	}
	var at dwarf.LineEntry
	if err := lines.SeekPC(pc, &at); err != nil || at.File == nil || err == io.EOF {
		return ""
	}
	return fmt.Sprintf("%s:%d", filepath.Base(at.File.Name), at.Line)
}
