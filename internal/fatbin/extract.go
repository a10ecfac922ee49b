package fatbin

// This file finds PTX in files that hold other things, too.

import (
	"bytes"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// Embedded is a module that a file carries.
type Embedded struct {
	PTX    []byte
	Linked bool // one of several that nvcc has linked (-rdc=true): others of the file may define what it declares
}

// ExtractPTX returns the PTX modules in a fat binary, a cubin, a host object, executable or library, or the output of
// cuobjdump -ptx, or a container of linked PTX: of each program the one that a device of the target arch runs, such as "sm_90"; empty means the
// newest. More than one module comes from programs of several sources. Machine code alone is passed over, such as that of
// the device runtime, which nvcc links. ok is false where data is none of these, or one without PTX or with
// damage, as the error says; with ok the error says why the device runs none of them.
func ExtractPTX(data []byte, arch string) (modules []Embedded, ok bool, err error) {
	if bytes.HasPrefix(bytes.TrimSpace(data[:min(len(data), 64)]), []byte(dumpBegin)) && bytes.Contains(data, []byte(dumpHead)) {
		return []Embedded{{PTX: dumped(data)}}, true, nil
	}
	if IsContainer(data) {
		modules, err = unpack(data)
		return modules, true, err
	}
	if !IsFatbin(data) && !IsELF(data) {
		return nil, false, nil
	}
	units, err := Read(data, 0)
	if err != nil {
		return nil, false, err
	}
	device := isa.MustTarget(newestTarget)
	if arch != "" {
		if device, err = isa.ParseTarget(arch); err != nil {
			return nil, true, err
		}
	}
	if units, err = WithPTX(units, device); err != nil {
		return nil, true, err
	}
	for i := range units {
		text, err := units[i].Choose(device)
		if err != nil {
			return nil, true, err
		}
		modules = append(modules, Embedded{text.PTX, units[i].Linked})
	}
	return modules, true, nil
}

// newestTarget runs PTX of every architecture but those with a suffix of their own.
const newestTarget = "sm_121a"

// dumpHead begins each module that cuobjdump -ptx prints.
const dumpHead = "Fatbin ptx code:"

// dumpBegin is what its output begins with: machine code may come first, by its header alone.
const dumpBegin = "Fatbin "

// dumped blanks what cuobjdump prints around the last module, so that lines keep their numbers.
func dumped(data []byte) []byte {
	out := bytes.Clone(data)
	last := bytes.LastIndex(out, []byte(dumpHead))
	begin := bytes.Index(out[last:], []byte("\n.version"))
	if begin < 0 {
		return out
	}
	for i := range out[:last+begin] {
		if out[i] != '\n' {
			out[i] = ' '
		}
	}
	return out
}
