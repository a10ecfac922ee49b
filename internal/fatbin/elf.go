package fatbin

// This file reads ELF: cubins, and host objects that carry fat binaries.

import (
	"bytes"
	"debug/elf"
	"fmt"
	"slices"

	"ptxvm.invalid/ptxvm/internal/isa"
)

const elfMagic = "\x7fELF"

// IsELF reports whether data begins like an ELF file.
func IsELF(data []byte) bool { return bytes.HasPrefix(data, []byte(elfMagic)) }

// machineCUDA is the ELF machine of cubins.
const machineCUDA = 190

// Sections that hold what we look for.
const (
	sectionFatbin    = ".nv_fatbin"     // of a host object: fat binaries, one behind another
	sectionRelFatbin = "__nv_relfatbin" // the same for the parts of a linked device program
	sectionPTX       = ".nv_ptx"
	sectionDebugPTX  = ".nv_debug_ptx_txt" // the PTX that line information refers to; NUL ends a line
)

// openELF reads section headers. Sections are taken from the file as they are, never decompressed.
func openELF(data []byte) (*elf.File, error) {
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("ELF: %w", err)
	}
	return f, nil
}

// section returns a section's bytes; nil if there is none of that name with content.
func section(f *elf.File, data []byte, name string) []byte {
	s := f.Section(name)
	if s == nil || s.Type == elf.SHT_NOBITS || s.Offset > uint64(len(data)) || s.FileSize > uint64(len(data))-s.Offset {
		return nil
	}
	return data[s.Offset : s.Offset+s.FileSize]
}

// cubinTarget reads the architecture from a cubin's flags: their second byte, in files before nvcc 13 the first.
func cubinTarget(data []byte) isa.Target {
	const atABI, atFlags, newABI = 8, 48, 8
	if len(data) < atFlags+4 {
		return isa.Target{}
	}
	if data[atABI] < newABI {
		return isa.Target{Arch: int(data[atFlags])}
	}
	return isa.Target{Arch: int(data[atFlags+1])}
}

// cubinPTX returns the PTX that a cubin carries; nil if it is machine code alone.
func cubinPTX(data []byte) ([]byte, error) {
	f, err := openELF(data)
	if err != nil {
		return nil, err
	}
	if text := section(f, data, sectionPTX); text != nil {
		return cleanPTX(text), nil
	}
	if text := section(f, data, sectionDebugPTX); text != nil {
		return cleanPTX(bytes.ReplaceAll(text, []byte{0}, []byte{'\n'})), nil
	}
	return nil, nil
}

// cleanPTX cuts off the padding behind a text.
func cleanPTX(text []byte) []byte {
	if i := bytes.IndexByte(text, 0); i >= 0 {
		text = text[:i]
	}
	return slices.Clip(text)
}
