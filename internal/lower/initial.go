package lower

// This file turns initialisers into bytes and relocations (5.4.4).

import (
	"encoding/binary"
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// initialisers fills the initial values, once all symbols exist.
func (l *lowerer) initialisers() {
	for _, o := range l.info.Objects {
		v := l.vars[o.ID]
		if v == nil || o.Var == nil || o.Var.Init == nil {
			continue
		}
		if o.Type.Opaque() {
			v.Fields = l.fields(o.Var.Init)
		} else {
			w := initWriter{l: l, v: v, elem: int64(max(v.Type.Bits(), 8) / 8)}
			shape := o.Dims
			if o.Vector > 1 {
				shape = append(shape[:len(shape):len(shape)], int64(o.Vector))
			}
			w.level(o.Var.Init, shape, 0)
		}
	}
}

// fieldValues are the names that fields of references have for numbers (9.7.10.5).
var fieldValues = map[string]int64{
	"nearest": 0, "linear": 1,
	"wrap": 0, "mirror": 1, "clamp_ogl": 2, "clamp_to_edge": 3, "clamp_to_border": 4,
}

// fields reads {field = value, …} of a texture, sampler or surface reference.
func (l *lowerer) fields(init *syntax.Init) (out []ir.Field) {
	for i := range init.List {
		f := &init.List[i]
		if f.Field == syntax.NoToken || f.Expr == nil {
			continue
		}
		value, named := fieldValues[l.file.RangeText(f.Expr.Range)]
		if v, err := l.file.Eval(f.Expr); !named && err == nil {
			value = int64(v.Bits)
		}
		out = append(out, ir.Field{Name: l.file.Text(f.Field), Value: value})
	}
	return out
}

// initWriter writes the values of one variable.
type initWriter struct {
	l    *lowerer
	v    *ir.Var
	elem int64 // bytes of an element
}

// level writes one nesting level, whose elements begin at byte off. Lists may be short.
func (w *initWriter) level(init *syntax.Init, shape []int64, off int64) {
	if init.Expr != nil {
		w.value(init.Expr, off)
		return
	}
	if len(shape) == 0 {
		return
	}
	step := w.elem
	for _, n := range shape[1:] {
		step *= n
	}
	for i := range init.List {
		w.level(&init.List[i], shape[1:], off+int64(i)*step)
	}
}

func (w *initWriter) value(e *syntax.Expr, off int64) {
	val, err := w.l.file.EvalInit(e)
	if err != nil {
		return // check has reported it
	}
	w.grow(off + w.elem)
	if val.Symbol == syntax.NoToken {
		w.put(off, constantBits(val.Value, w.v.Type))
		return
	}
	w.reloc(off, &val)
}

func (w *initWriter) grow(n int64) {
	if have := int64(len(w.v.Init)); have < n {
		w.v.Init = append(w.v.Init, make([]byte, n-have)...)
	}
}

func (w *initWriter) put(off int64, n uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], n)
	copy(w.v.Init[off:off+w.elem], b[:])
}

func (w *initWriter) reloc(off int64, val *syntax.InitValue) {
	r := ir.Reloc{Off: off, Bytes: uint8(min(w.elem, 8)), Generic: val.Generic, Add: int64(val.Value.Bits)}
	if val.Mask != 0 {
		r.Shift = uint8(bits.TrailingZeros64(val.Mask)) &^ 7
		r.Bytes = uint8(min(int64(r.Bytes), int64(bits.Len64(val.Mask>>r.Shift)+7)/8))
	}
	u, ok := w.l.info.Use(val.Symbol)
	if !ok || u.Object == nil {
		return // check has reported it
	}
	if u.Object.Kind == check.Function || u.Object.Kind == check.AliasName {
		r.Func = w.l.callee(u.Object)
	} else {
		r.Var = w.l.vars[u.Object.ID]
	}
	w.v.Relocs = append(w.v.Relocs, r)
}
