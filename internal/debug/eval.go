package debug

// This file evaluates expressions for a lane of a warp at a moment.

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/kernelname"
	"ptxvm.invalid/ptxvm/internal/machine/specials"
	"ptxvm.invalid/ptxvm/internal/value"
)

// evaluation is an expression while it is evaluated.
type evaluation struct {
	*Scope
	lane int
}

// Eval returns the value for the lane of the scope.
func (s *Scope) Eval(e *Expr) (Value, error) { return s.evalAt(e, s.Lane) }

func (s *Scope) evalAt(e *Expr, lane int) (Value, error) {
	return e.root.eval(&evaluation{s, lane})
}

// LaneValue is the value of an expression with @warp for one lane.
type LaneValue struct {
	Lane  int
	Value Value
}

// EachLane evaluates an expression for the lanes of the focus's fragment; of one without @warp there is one value.
func (s *Scope) EachLane(e *Expr) (list []LaneValue, err error) {
	if !e.warp {
		v, err := s.Eval(e)
		return []LaneValue{{s.Lane, v}}, err
	}
	for m := s.Lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		v, err := s.evalAt(e, lane)
		if err != nil {
			return nil, err
		}
		list = append(list, LaneValue{lane, v})
	}
	return list, nil
}

// Column reports whether the expression has a value for each lane of the warp.
func (e *Expr) Column() bool { return e.warp }

func (l *literal) eval(*evaluation) (Value, error) { return l.value, nil }

func (h *history) eval(c *evaluation) (Value, error) {
	list := c.History
	n := h.n
	if n == 0 {
		n = len(list)
	}
	switch {
	case n > len(list):
		return Value{}, fmt.Errorf("History has not yet reached $%d.", n)
	case n == 0:
		return Value{}, errors.New("The history is empty.")
	}
	return list[n-1], nil
}

func (a *atLane) eval(c *evaluation) (Value, error) {
	if a.lane < 0 {
		return a.of.eval(c)
	}
	if c.Warp == nil {
		return Value{}, ErrNotRunning
	}
	if c.Warp.Lanes()>>a.lane&1 == 0 {
		return Value{}, fmt.Errorf("Lane %d is no thread of the block: the warp has %d.", a.lane, bits.OnesCount32(c.Warp.Lanes()))
	}
	inner := *c.Scope
	if err := inner.moveTo(a.lane); err != nil {
		return Value{}, err
	}
	return a.of.eval(&evaluation{&inner, a.lane})
}

func (v *viewed) eval(c *evaluation) (Value, error) {
	if m, ok := v.of.(*memory); ok {
		return c.load(m, v.typ)
	}
	x, err := v.of.eval(c)
	switch {
	case err != nil:
		return x, err
	case x.Object != nil:
		return x, errNoNumber
	case x.Count > 0:
		n := x.Count * x.Type.Size() / max(v.typ.Size(), 1)
		if n == 0 {
			return Value{}, fmt.Errorf("The array has no room for a %s.", v.typ.Name())
		}
		return Value{Type: v.typ, Count: n, Home: x.Home}, nil
	case x.Home != nil && x.Home.Register == "": // memory: as many bytes as the type has
		return c.at(x.Home.Space, x.Home.Addr, v.typ)
	}
	y := cut(x.Low, v.typ)
	if y.High = 0; v.typ.Bits() == 128 {
		y.High = x.High
	}
	y.Home = x.Home
	return y, nil
}

func (t *cast) eval(c *evaluation) (Value, error) {
	v, err := t.of.eval(c)
	if err != nil {
		return v, err
	}
	return v.converted(t.typ)
}

func (m *memory) eval(c *evaluation) (Value, error) { return c.load(m, value.Type{}) }

func (x *index) eval(c *evaluation) (Value, error) {
	if name, ok := x.of.(*named); ok && c.isTensor(name.name) {
		return c.tensorLane(x.at)
	}
	of, err := x.of.eval(c)
	if err != nil {
		return of, err
	}
	if of.Object != nil {
		return c.texel(of.Object, x.at)
	}
	at, err := x.at.eval(c)
	if err != nil {
		return at, err
	}
	n := at.integer()
	switch {
	case of.Count > 0:
		return c.at(of.Home.Space, of.Home.Addr+uint64(n)*uint64(of.Type.Size()), of.Type)
	case of.Type.Bits() == 64 && !of.Type.Float(): // a pointer, as a parameter is
		t := typeU32
		if name, ok := x.of.(*named); ok {
			t = c.pointee(name.name)
		}
		return c.at("generic", of.Low+uint64(n)*uint64(t.Size()), t)
	}
	return Value{}, errors.New("cannot subscript something that is neither an array nor a pointer")
}

// load reads memory at the address that brackets hold; a name of a variable stands for its address there, as in PTX.
func (c *evaluation) load(m *memory, t value.Type) (Value, error) {
	space, addr, own, err := c.address(m.at)
	if err != nil {
		return Value{}, err
	}
	if m.space != "" && m.space != "generic" || space == "" {
		space = m.space
	}
	if space == "" {
		space = "generic"
	}
	if space == tensorSpace {
		addr *= tensorWord
	}
	if t == (value.Type{}) {
		t = own
	}
	if t == (value.Type{}) {
		t = typeU32
	}
	return c.at(space, addr, t)
}

// address computes an address: its space if a variable says it, and the type of what is there if that is known.
func (c *evaluation) address(n node) (space string, addr uint64, t value.Type, err error) {
	switch n := n.(type) {
	case *index:
		v, err := n.eval(c)
		if err == nil && v.Home != nil && v.Home.Space == tensorSpace {
			return tensorSpace, v.Home.Addr / tensorWord, v.Type, nil
		}
		if err == nil && v.Count > 0 { // a texel
			return v.Home.Space, v.Home.Addr, v.Type, nil
		}
	case *named:
		if v, ok := c.variable(n.name); ok {
			space, addr, err = c.place(v)
			return space, addr, elementType(v), err
		}
		p, err := n.eval(c)
		return "", p.Low, c.pointee(n.name), err
	case *binaryOp:
		if n.op == "+" || n.op == "-" {
			space, addr, t, err = c.address(n.l)
			if err != nil {
				return "", 0, t, err
			}
			r, err := n.r.eval(c)
			by := uint64(r.integer())
			if n.op == "-" {
				by = -by
			}
			return space, addr + by, t, err
		}
	case *unaryOp:
		if n.op == "&" {
			v, err := c.addressOf(n.of)
			return v.space, v.Low, value.Type{}, err
		}
	}
	v, err := n.eval(c)
	if err == nil && (v.Type.Float() || v.compound()) {
		err = errors.New("Attempt to take contents of a non-pointer value.")
	}
	return "", uint64(v.integer()), value.Type{}, err
}

// Address evaluates an expression as x takes it: the address that it comes to, that of a variable that it names, or of the memory that
// it reads.
func (s *Scope) Address(e *Expr) (space string, addr uint64, t value.Type, err error) {
	c := &evaluation{s, s.Lane}
	if v, ok := e.root.(*viewed); ok {
		if m, ok := v.of.(*memory); ok {
			space, addr, _, err = s.Address(&Expr{root: m})
			return space, addr, v.typ, err
		}
	}
	if m, ok := e.root.(*memory); ok {
		space, addr, t, err = c.address(m.at)
		if m.space != "" && m.space != "generic" {
			space = m.space
		}
		return space, addr, t, err
	}
	return c.address(e.root)
}

func (c *evaluation) addressOf(n node) (Value, error) {
	v, err := n.eval(c)
	switch {
	case err != nil:
		return Value{}, err
	case v.Home == nil:
		return Value{}, errors.New("Attempt to take address of value not located in memory.")
	case v.Home.Register != "":
		return Value{}, fmt.Errorf("Attempt to take address of value in register %s.", v.Home.Register)
	}
	return Value{Low: v.Home.Addr, Type: typeU64, space: v.Home.Space}, nil
}

func (c *evaluation) deref(v *Value) (Value, error) {
	if v.Type.Float() || v.boolean() || v.compound() {
		return Value{}, errors.New("Attempt to take contents of a non-pointer value.")
	}
	space := v.space
	if space == "" {
		space = "generic"
	}
	return c.at(space, uint64(v.integer()), typeU32)
}

// at reads a value from memory.
func (c *evaluation) at(space string, addr uint64, t value.Type) (Value, error) {
	data, err := c.read(space, addr, t.Size(), c.lane)
	v := ofBytes(data, t)
	v.Home = &Home{Space: space, Addr: addr, Lane: c.lane}
	return v, err
}

func (r *register) eval(c *evaluation) (Value, error) {
	if c.Warp == nil {
		return Value{}, ErrNotRunning
	}
	if v, ok, err := c.register(r.name, c.lane); ok && r.comp == "" {
		return v, err
	}
	id, ok := isa.LookupSpecial(r.name)
	if !ok {
		return Value{}, c.noRegister(r.name)
	}
	ref := specials.Ref{Reg: id, Comp: uint8(strings.Index("xyzw", r.comp))}
	if r.comp == "" {
		ref.Comp = 0
	}
	v, ok := c.Pause.SpecialAt(c.Warp, &ref, c.lane)
	if !ok {
		return Value{}, fmt.Errorf("%s has no value that the debugger knows.", r.name)
	}
	t, err := value.ParseType(strings.TrimPrefix(id.Info().Type.String(), "."))
	if err != nil {
		t = typeU32
	}
	return cut(v, t), nil
}

// eval of a name: a parameter's value, or a variable's.
func (n *named) eval(c *evaluation) (Value, error) {
	if v, ok := c.variable(n.name); ok {
		if c.Warp == nil && v.Space != ir.SpaceGlobal && v.Space != ir.SpaceConst && !isReference(v) {
			return Value{}, ErrNotRunning
		}
		return c.loadVariable(v)
	}
	if p, ok := c.parameter(n.name); ok {
		return c.loadParameter(p)
	}
	if n.name == tensorSpace {
		return Value{}, errTensor
	}
	return Value{}, c.noSymbol(n.name)
}

// loadVariable reads a scalar; of an array it says where that is.
func (c *evaluation) loadVariable(v *ir.Var) (Value, error) {
	if isReference(v) {
		return c.image(c.parts.Address(v))
	}
	space, addr, err := c.place(v)
	if err != nil {
		return Value{}, err
	}
	t := elementType(v)
	if len(v.Dims) == 0 && v.Vec <= 1 {
		return c.at(space, addr, t)
	}
	n := int(v.Size) / max(t.Size(), 1)
	if v.Dynamic {
		memory, start := c.Warp.CTA().Memory()
		n = max(0, int(start)+len(memory)-int(addr)) / max(t.Size(), 1)
	}
	if n == 0 {
		return Value{}, fmt.Errorf("%s has no elements.", v.Name)
	}
	return Value{Type: t, Count: n, Home: &Home{Space: space, Addr: addr, Lane: c.lane}}, nil
}

// Elements reads the first of an array's elements, at most so many.
func (s *Scope) Elements(v *Value, most int) ([]Value, error) {
	var list []Value
	c := &evaluation{s, s.Lane}
	for i := range min(v.Count, most) {
		x, err := c.at(v.Home.Space, v.Home.Addr+uint64(i*v.Type.Size()), v.Type)
		if err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	return list, nil
}

// elementType is the type of a variable's elements, as values are printed.
func elementType(v *ir.Var) value.Type {
	t, err := value.ParseType(strings.TrimPrefix(v.Type.String(), "."))
	if err != nil {
		return bitsOf(8 * max(v.Type.Bytes(), 1))
	}
	return t
}

// shortName is the name of a variable as the source has it.
func shortName(v *ir.Var) string {
	written, _, _ := strings.Cut(v.Name, "~")
	return kernelname.Demangle(written)
}

// Load reads untyped memory of 1, 2, 4 or 8 bytes as the lane in focus sees it.
func (s *Scope) Load(space string, addr uint64, size int) (Value, error) {
	return (&evaluation{s, s.Lane}).at(space, addr, bitsOf(8*size))
}

// IsSpace reports whether a word is a state space that an address may name.
func IsSpace(word string) bool { return slices.Contains(spaces, word) }
