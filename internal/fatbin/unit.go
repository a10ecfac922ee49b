package fatbin

// This file finds the units of a file and chooses PTX for a device.

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// Text is PTX with the target that it is for.
type Text struct {
	Target isa.Target
	Name   string // of the source file, as the compiler has noted it; may be empty
	Cubin  bool   // found in a cubin, beside machine code
	PTX    []byte
}

// Unit is one program for several targets.
type Unit struct {
	Texts  []Text
	Code   []isa.Target // of machine code that carries no PTX
	LTO    []isa.Target // of intermediate code for linking
	Linked bool         // a part of a device program that nvcc has linked (-rdc=true)
}

// ErrNoPTX says that a file or unit has nothing that can be run.
var ErrNoPTX = errors.New("there is no PTX in it")

// Read finds the units in a fat binary, a cubin, or a host object, executable or library. limit bounds
// the bytes that are unpacked; 0 means DefaultLimit. A file of a known kind without any unit gives ErrNoPTX.
func Read(data []byte, limit uint64) ([]Unit, error) {
	if limit == 0 {
		limit = DefaultLimit
	}
	l := &limiter{limit}
	switch {
	case IsFatbin(data):
		return l.units(data, false)
	case IsELF(data):
		return l.readELF(data)
	}
	return nil, fmt.Errorf("neither a fat binary nor ELF: %w", ErrNoPTX)
}

func (l *limiter) readELF(data []byte) (units []Unit, err error) {
	f, err := openELF(data)
	if err != nil {
		return nil, err
	}
	if f.Machine == machineCUDA {
		u := Unit{}
		if err := u.addCubin(data, entry{target: cubinTarget(data)}); err != nil {
			return nil, err
		}
		return []Unit{u}, nil
	}
	for _, name := range []string{sectionFatbin, sectionRelFatbin} {
		found, err := l.units(section(f, data, name), name == sectionRelFatbin)
		if err != nil {
			return nil, fmt.Errorf("section %s: %w", name, err)
		}
		units = append(units, found...)
	}
	if len(units) == 0 {
		return nil, fmt.Errorf("it has no section %s: %w", sectionFatbin, ErrNoPTX)
	}
	return units, nil
}

// units reads fat binaries that lie one behind another, with zeros between them.
func (l *limiter) units(data []byte, linked bool) (list []Unit, err error) {
	for {
		if data = bytes.TrimLeft(data, "\x00"); len(data) == 0 {
			return list, nil
		}
		entries, err := l.entries(data)
		if err != nil {
			return nil, err
		}
		u := Unit{Linked: linked}
		for i := range entries {
			if err := l.add(&u, &entries[i]); err != nil {
				return nil, fmt.Errorf("entry %d: %w", i, err)
			}
		}
		size, _ := containerSize(data)
		list, data = append(list, u), data[size:]
	}
}

// add sorts an entry into a unit; what is neither PTX, ELF nor LTO code is passed over, as drivers do.
func (l *limiter) add(u *Unit, e *entry) error {
	switch e.kind {
	case kindLTO:
		u.LTO = append(u.LTO, e.target)
		return nil
	case kindPTX, kindELF:
	default:
		return nil
	}
	content, err := l.unpack(e)
	if err != nil {
		return err
	}
	if e.kind == kindELF {
		return u.addCubin(content, *e)
	}
	u.Texts = append(u.Texts, Text{Target: e.target, Name: e.name, PTX: cleanPTX(content)})
	return nil
}

// addCubin adds the PTX in a cubin, or notes that it is machine code alone.
func (u *Unit) addCubin(data []byte, e entry) error {
	text, err := cubinPTX(data)
	switch {
	case err != nil:
		return err
	case text == nil:
		u.Code = append(u.Code, e.target)
		return nil
	}
	if t, ok := declared(text); ok {
		e.target = t
	}
	u.Texts = append(u.Texts, Text{Target: e.target, Name: e.name, Cubin: true, PTX: text})
	return nil
}

// declared reads the first .target of PTX.
func declared(text []byte) (isa.Target, bool) {
	for line := range bytes.Lines(text) {
		fields := strings.FieldsFunc(string(line[:min(len(line), 200)]), func(r rune) bool { return strings.ContainsRune(" \t\r\n,;", r) })
		if len(fields) >= 2 && fields[0] == ".target" {
			t, err := isa.ParseTarget(fields[1])
			return t, err == nil
		}
	}
	return isa.Target{}, false
}

// NoMatchError says that a unit has no PTX that a device can run.
type NoMatchError struct {
	Device isa.Target
	Newer  []isa.Target // PTX there is
	Code   []isa.Target // machine code there is
	LTO    []isa.Target // intermediate code there is
}

func (e *NoMatchError) Error() string {
	switch {
	case len(e.Newer) != 0:
		return fmt.Sprintf("it holds PTX for %s, which %v cannot run; choose a device of that architecture (--arch %v)", targets(e.Newer), e.Device, oldest(e.Newer))
	case len(e.Code) != 0:
		arch := strings.TrimPrefix(e.Code[0].String(), "sm_")
		return fmt.Sprintf("it holds machine code for %s only; compile with -gencode arch=compute_%s,code=compute_%[2]s (or -arch=compute_%[2]s), or add -lineinfo",
			targets(e.Code), arch)
	case len(e.LTO) != 0:
		return fmt.Sprintf("it holds intermediate code for link-time optimisation (%s) only; compile without -dlto", targets(e.LTO))
	}
	return ErrNoPTX.Error()
}

// Unwrap makes it an ErrNoPTX.
func (e *NoMatchError) Unwrap() error { return ErrNoPTX }

func oldest(list []isa.Target) isa.Target {
	return slices.MinFunc(list, func(a, b isa.Target) int { return a.Arch - b.Arch })
}

func targets(list []isa.Target) string {
	var names []string
	for _, t := range list {
		names = append(names, t.String())
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}

// Choose returns the PTX that a device runs: that of the newest architecture of those it can run, the most
// specific of these (sm_90a before sm_90), and a cubin's own only where there is no other. The error is a
// *NoMatchError.
func (u *Unit) Choose(device isa.Target) (Text, error) {
	best := -1
	for i := range u.Texts {
		if device.Runs(u.Texts[i].Target) && (best < 0 || u.Texts[best].less(&u.Texts[i])) {
			best = i
		}
	}
	if best < 0 {
		e := &NoMatchError{Device: device, Code: u.Code, LTO: u.LTO}
		for _, t := range u.Texts {
			e.Newer = append(e.Newer, t.Target)
		}
		return Text{}, e
	}
	return u.Texts[best], nil
}

// WithPTX drops the units without PTX: machine code alone, such as the device runtime that nvcc links, and the empty ones that
// some versions of nvcc write. The error, a *NoMatchError, says what there is where no unit has PTX.
func WithPTX(units []Unit, device isa.Target) ([]Unit, error) {
	left := slices.DeleteFunc(slices.Clone(units), func(u Unit) bool { return len(u.Texts) == 0 })
	if len(left) != 0 {
		return left, nil
	}
	e := &NoMatchError{Device: device}
	for i := range units {
		e.Code = append(e.Code, units[i].Code...)
		e.LTO = append(e.LTO, units[i].LTO...)
	}
	return nil, e
}

// less reports whether u is to be taken before t.
func (t *Text) less(u *Text) bool {
	switch {
	case t.Cubin != u.Cubin:
		return t.Cubin
	case t.Target.Arch != u.Target.Arch:
		return t.Target.Arch < u.Target.Arch
	}
	return t.Target.Suffix == 0 && u.Target.Suffix != 0
}
