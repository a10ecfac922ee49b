package cc

// This file reads what the C compiler has made, or the cache has kept: it trusts neither.

import (
	"bytes"
	"debug/elf"
	"fmt"
)

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
		end := p.Vaddr + p.Filesz
		if p.Vaddr > maxImage || p.Filesz > uint64(len(file)) || end > maxImage {
			return nil, 0, fmt.Errorf("the compiled code lies from %#x to %#x", p.Vaddr, end)
		}
		if uint64(len(image)) < end {
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
