package calls

// Device functions that the runtime provides: compilers declare them .extern and call them
// with parameters in .param space or, in the old style, in registers.

import (
	"bytes"
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/faults"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// native is one provided function. run gets the arguments lane by lane; on Next it has left
// each lane's result in results.
type native struct {
	args   []int // bits
	result int   // bits, 0: none
	run    func(w *machine.Warp, in *machine.Inst, c *nativeCall) machine.State
}

// Printf is the provided function that prints.
const Printf = "vprintf"

// natives are the provided functions by name.
var natives = map[string]*native{
	Printf:         {[]int{64, 64}, 32, vprintf},
	"malloc":       {[]int{64}, 64, deviceMalloc},
	"free":         {[]int{64}, 0, deviceFree},
	"__assertfail": {[]int{64, 64, 32, 64, 64}, 0, assertFail},

	"cudaGraphSetConditional": {[]int{64, 32}, 0, setCondition},
}

// IsNative reports whether the runtime provides a function that a module only declares.
func IsNative(name string) bool { return natives[name] != nil }

// nativeOf is the provided function that a call is of; nil if it is of another one.
func nativeOf(c *ir.Call) *native {
	if c.Callee == nil || c.Callee.Defined {
		return nil
	}
	return natives[c.Callee.Name]
}

// nativeCall is the decode-time constant of a call.
type nativeCall struct {
	uop.Private
	*native
	from []sem.Place
	to   []sem.Place
}

func (n *native) plan(b *sem.Build, c *ir.Call) {
	if len(c.Args) != len(n.args) || len(c.Rets) > 1 {
		b.Fail("%s takes %d arguments", c.Callee.Name, len(n.args))
		return
	}
	call := &nativeCall{native: n}
	for i := range c.Args {
		call.from = append(call.from, argumentPlace(b, &c.Args[i], n.args[i]))
	}
	for i := range c.Rets {
		call.to = append(call.to, argumentPlace(b, &c.Rets[i], n.result))
	}
	b.Ext().Data = call
	b.Does(uop.CallRuntime)
}

func argumentPlace(b *sem.Build, o *ir.Operand, width int) sem.Place {
	if o.Kind == ir.OpMem {
		p, err := b.Argument(o)
		if err != nil {
			b.Fail("%w", err)
		}
		return p
	}
	return sem.Place{Off: b.Dst(o, width)}
}

// Result is where a call that the runtime answers leaves its result, and how many bytes, if that is in the frame's .param area.
func Result(in *machine.Inst) (off, bytes uint32, ok bool) {
	c := in.Ext.Data.(*nativeCall)
	if len(c.to) != 1 || !c.to[0].Param {
		return 0, 0, false
	}
	return c.to[0].Off, uint32(c.result / 8), true
}

func callNative(w *machine.Warp, in *machine.Inst) machine.State {
	c := in.Ext.Data.(*nativeCall)
	return c.run(w, in, c)
}

// arg returns a lane's argument.
func (c *nativeCall) arg(w *machine.Warp, k, lane int) uint64 {
	p, width := c.from[k], c.args[k]
	if !p.Param {
		return sem.LoadElem(w, p.Off, width, lane)
	}
	v := uint64(w.ParamRow(p.Off)[lane&31])
	if width > 32 {
		v |= uint64(w.ParamRow(p.Off + 4)[lane&31]) << 32
	}
	return v
}

// give stores a lane's result.
func (c *nativeCall) give(w *machine.Warp, lane int, v uint64) {
	for _, p := range c.to {
		if !p.Param {
			sem.StoreElem(w, p.Off, c.result, lane, v)
			continue
		}
		w.ParamRow(p.Off)[lane&31] = uint32(v)
		if c.result > 32 {
			w.ParamRow(p.Off + 4)[lane&31] = uint32(v >> 32)
		}
	}
}

// maxString bounds the strings that a kernel hands to the runtime.
const maxString = 1 << 16

// reader reads what the arguments of a call point to, for the one lane in w.Mask.
type reader struct {
	w   *machine.Warp
	in  *machine.Inst
	row [32]uint64 // for Access and Observe
	st  machine.State

	at   uint64 // of the last string
	last string
}

// text reads a NUL-terminated string at a generic address. Lanes that print have the same format, mostly.
func (r *reader) text(addr uint64) string {
	if r.w.Observing() {
		return r.bytewise(addr)
	}
	if r.last == "" || r.at != addr {
		rest := r.w.Rest(r.in, addr)
		if n := bytes.IndexByte(rest[:min(len(rest), maxString)], 0); n < 0 {
			r.last = r.bytewise(addr)
		} else {
			r.last = string(rest[:n])
		}
		r.at = addr
	}
	return r.last
}

// bytewise is the reference implementation of text, which faults where the string does.
func (r *reader) bytewise(addr uint64) string {
	var s []byte
	for len(s) < maxString {
		c := r.read(addr+uint64(len(s)), 1)
		if r.st != machine.Next || c == 0 {
			break
		}
		s = append(s, byte(c))
	}
	return string(s)
}

// read reads 1, 4 or 8 bytes at a generic address; what fails is in st.
func (r *reader) read(addr uint64, size uint32) uint64 {
	lane := bits.TrailingZeros32(r.w.Mask) & 31
	if r.w.Observing() {
		r.row[lane] = addr
		r.w.Observe(r.in, machine.Event{Space: machine.Generic, Kind: machine.Load, Size: size, Lanes: r.w.Mask, Addr: &r.row})
	}
	r.row[lane] = addr - r.in.Imm
	a, st := r.w.Access(r.in, &machine.Request{Space: machine.Generic, Kind: machine.Load, Size: size, Align: size}, &r.row)
	if st != machine.Next {
		r.st = st
		return 0
	}
	switch size {
	case 1:
		return uint64(a.Load8(&r.row, lane, 0))
	case 4:
		return uint64(a.Load32(&r.row, lane, 0))
	}
	return a.Load64(&r.row, lane, 0)
}

// setCondition is cudaGraphSetConditional(handle, value): a handle is the address of a word, which the driver reads when the
// kernel is over.
func setCondition(w *machine.Warp, in *machine.Inst, c *nativeCall) machine.State {
	var row [32]uint64
	return sem.OneByOne(w, func(lane int) machine.State {
		row[lane&31] = c.arg(w, 0, lane) - in.Imm
		a, st := w.Access(in, &machine.Request{Space: machine.Global, Kind: machine.Store, Size: 4, Align: 4}, &row)
		if st == machine.Next {
			a.Store32(&row, lane, 0, uint32(c.arg(w, 1, lane)))
		}
		return st
	})
}

// assertFail is __assertfail(message, file, line, function, charSize).
func assertFail(w *machine.Warp, in *machine.Inst, c *nativeCall) machine.State {
	r := reader{w: w, in: in}
	return sem.OneByOne(w, func(lane int) machine.State {
		var text [3]string
		for i, k := range []int{0, 1, 3} {
			if text[i] = r.text(c.arg(w, k, lane)); r.st != machine.Next {
				return r.st
			}
		}
		return w.Fault(in, &machine.Fault{Kind: faults.AssertFailed, Lanes: w.Mask, Text: assertText(text, c.arg(w, 2, lane))})
	})
}
