package vm

// This file says what a kernel needs of a device besides shared memory, as ptxas -v tells it.

import "ptxvm.invalid/ptxvm/internal/ir"

// Resources is what a kernel needs of a device, in bytes where nothing else is said.
type Resources struct {
	Registers int // of a thread, of 32 bits: an estimate by how many values live at a time, since PTX has as many registers as it likes
	Local     int // local memory of a thread: variables of the kernel and of the deepest chain of calls, a recursive call counted once
	Constants int // the module's .const variables
}

const (
	fewestRegisters = 16 // what ptxas gives small kernels on recent devices
	mostRegisters   = 255
	registerUnit    = 8
	registerFile    = 64 << 10 // of a multiprocessor
	registersBeside = 6        // what addresses, the stack and return addresses take in machine code
)

// Resources tells what the kernel needs.
func (k *Kernel) Resources() Resources {
	r := reached{depths: map[*ir.Func]int64{}}
	local := r.depth(k.fn) - k.fn.CallBytes
	return Resources{Registers: registers(r.words, &k.fn.Perf), Local: int(local), Constants: constantBytes(k.program.module)}
}

// registers estimates those of a kernel whose values take so many words at a time. Directives bound them, as they bound ptxas.
func registers(words int, p *ir.Perf) int {
	most, threads := mostRegisters, 1 // of the CTAs that a multiprocessor has to hold
	for i, n := range p.MaxNTid {
		threads *= int(max(n, p.ReqNTid[i], 1))
	}
	if p.MaxNReg != 0 {
		most = min(most, int(p.MaxNReg))
	}
	if threads *= int(max(p.MinNCTA, 1)); threads > 1 {
		most = min(most, registerFile/threads/registerUnit*registerUnit)
	}
	units := (max(words+registersBeside, fewestRegisters) + registerUnit - 1) / registerUnit
	return min(units*registerUnit, most)
}

// reached is what a kernel may call.
type reached struct {
	depths map[*ir.Func]int64 // of functions that have been looked at; 0 of those on the way to this one
	words  int                // the most registers of 32 bits that one of them has at a time
}

// depth is the bytes of local memory of a function and of what it calls.
func (r *reached) depth(f *ir.Func) (bytes int64) {
	if f == nil || !f.Defined {
		return 0
	}
	if bytes, known := r.depths[f]; known {
		return bytes
	}
	r.depths[f] = 0
	r.words = max(r.words, int(f.Rows.Count[ir.W32]+2*f.Rows.Count[ir.W64]))
	for pc := range f.Insts {
		if c := f.Insts[pc].Call; c != nil {
			bytes = max(bytes, r.depth(c.Callee))
		}
	}
	r.depths[f] = bytes + f.CallBytes + f.LocalBytes
	return r.depths[f]
}

// constantBytes is the size of a module's constants, each at its alignment.
func constantBytes(m *ir.Module) (n int) {
	for _, v := range m.Vars {
		if v.Space != ir.SpaceConst || isReference(v) {
			continue
		}
		align := max(int(v.Align), 1)
		n = (n+align-1)/align*align + int(v.Size)
	}
	return n
}
