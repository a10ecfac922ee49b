package ssa

// This file says what must hold between two passes.

import (
	"errors"
	"fmt"
	"slices"
)

// Verify returns what is wrong with a function, nil if nothing is.
func Verify(f *Func) error {
	v := &verifier{f: f, dom: FindDominators(f)}
	v.operations()
	v.edges()
	if len(v.errs) > 0 {
		return errors.Join(v.errs...) // what follows takes types and edges for granted
	}
	v.findDefinitions()
	for _, b := range v.dom.Blocks {
		v.block(b)
	}
	return errors.Join(v.errs...)
}

type verifier struct {
	f     *Func
	dom   *Dominators
	errs  []error
	where map[Value]position // of leaves and of placed operations
	above map[Value]*Block   // of operations without a place: the deepest block that one of their leaves is in
	here  position           // where values have been looked at last,
	seen  map[looked]bool    // and which
}

// looked is a value that was looked at, there or with all that it is computed from.
type looked struct {
	Value
	deep bool
}

// again tells whether a value has been looked at for the same position: values have many users.
func (v *verifier) again(x Value, deep bool, b *Block, index int) bool {
	if at := (position{b, index}); v.here != at || v.seen == nil {
		v.here, v.seen = at, map[looked]bool{}
	}
	k := looked{x, deep}
	seen := v.seen[k]
	v.seen[k] = true
	return seen
}

// position is a place in a block.
type position struct {
	block *Block
	index int // in its order; -1: a parameter
}

func (v *verifier) fail(format string, a ...any) { v.errs = append(v.errs, fmt.Errorf(format, a...)) }

// operations looks at types, and at the order in which operations are made.
func (v *verifier) operations() {
	for i := range v.f.Ops {
		o := &v.f.Ops[i]
		if o.Code == Invalid {
			continue
		}
		if err := v.typed(o); err != nil {
			v.fail("v%d: %w", i, err)
		}
		for _, a := range o.Operands() {
			if leaf := int(a) < len(v.f.Ops) && v.f.Info[a].Block >= 0; int(a) >= i && !leaf || v.f.Ops[a].Code == Invalid {
				v.fail("v%d: operand v%d does not come before it", i, a)
			}
		}
	}
}

// typed looks at the types of an operation, and at its operands' being numbers or lanes.
func (v *verifier) typed(o *Op) error {
	shape := defs[o.Code].shape
	if len(shape) != int(o.N)+1 {
		return fmt.Errorf("%v has %d operands", o.Code, o.N)
	}
	if o.Code == Shuffle && v.f.Copies[o.Copy].Lanes != 32 {
		return fmt.Errorf("%v of part of a warp", o.Code)
	}
	any, args := None, o.Operands()
	for i, c := range []byte(shape) {
		t := o.Type
		if i > 0 {
			t = v.f.TypeOf(args[i-1])
		}
		switch c {
		case 'T', 'N':
			if any == None {
				any = t
			}
			if t != any || c == 'N' && t == M {
				return fmt.Errorf("%v of type %v, where %v is wanted", o.Code, t, any)
			}
		default:
			if t.String() != string(c|0x20) {
				return fmt.Errorf("%v of type %v", o.Code, t)
			}
		}
	}
	if t := v.f.Tables; o.Code == Each && (o.Imm >= uint64(len(t)) || len(t[o.Imm]) != v.f.Copies[o.Copy].Lanes) {
		return fmt.Errorf("%v of table %d, which is not one of %d lanes", o.Code, o.Imm, v.f.Copies[o.Copy].Lanes)
	}
	num := defs[o.Code].num
	for _, a := range args {
		num = num && v.f.Info[a].Num
	}
	for _, a := range args {
		if _, known := v.f.Known(a); v.f.Info[a].Num && !num && !known && o.Code != Strided && o.Code != Bcast {
			return fmt.Errorf("%v of lanes and number v%d", o.Code, a)
		}
		if num := v.f.Info[a].Num; !num && (o.Code == Strided || o.Code == Bcast || o.Code == Inside) {
			return fmt.Errorf("%v of lanes", o.Code)
		} else if !num && v.f.LanesOf(a) != v.f.Copies[o.Copy].Lanes {
			return fmt.Errorf("%v of %d lanes in groups of %d", o.Code, v.f.LanesOf(a), v.f.Copies[o.Copy].Lanes)
		}
	}
	return nil
}

// edges holds the arguments of edges to the parameters of blocks.
func (v *verifier) edges() {
	for i, b := range v.f.Blocks {
		if b.ID != i {
			v.fail("b%d is block %d", b.ID, i)
		}
		if want := len(b.Out) == 2; want != (b.Cond != 0) || len(b.Out) > 2 {
			v.fail("b%d has %d edges and condition v%d", i, len(b.Out), b.Cond)
		} else if want && (v.f.TypeOf(b.Cond) != M || !v.f.IsNum(b.Cond)) {
			v.fail("b%d: condition v%d is no number", i, b.Cond)
		}
		for _, e := range b.Out {
			if len(e.Args) != len(e.To.Params) {
				v.fail("b%d: %d arguments for the %d parameters of b%d", i, len(e.Args), len(e.To.Params), e.To.ID)
				continue
			}
			for k, a := range e.Args {
				p := e.To.Params[k]
				if v.f.TypeOf(a) != v.f.TypeOf(p) || v.f.IsNum(p) && !v.f.IsNum(a) {
					v.fail("b%d: argument v%d is not like parameter v%d of b%d", i, a, p, e.To.ID)
				}
			}
		}
	}
}

// findDefinitions finds where values are computed.
func (v *verifier) findDefinitions() {
	v.where, v.above = map[Value]position{}, map[Value]*Block{}
	put := func(x Value, b *Block, i int) {
		if _, twice := v.where[x]; twice {
			v.fail("v%d is computed twice", x)
		}
		v.where[x] = position{b, i}
	}
	for _, b := range v.dom.Blocks {
		for _, x := range b.Params {
			put(x, b, -1)
		}
		for i, item := range b.Items() {
			if item.Effect == nil {
				put(item.Value, b, i)
				if v.f.Copies[v.f.Ops[item.Value].Copy].Cold && !b.Cold {
					v.fail("v%d is of a cold copy, and b%d is not", item.Value, b.ID)
				}
				continue
			}
			for _, x := range item.Effect.Results {
				put(x, b, i)
			}
		}
	}
}

// Items are what a block does in order: what place has said, or its effects.
func (b *Block) Items() []Item {
	if len(b.Order) > 0 || len(b.Effects) == 0 {
		return b.Order
	}
	list := make([]Item, len(b.Effects))
	for i, e := range b.Effects {
		list[i].Effect = e
	}
	return list
}

// use tells whether a value is there at a position.
func (v *verifier) use(x Value, b *Block, index int, what string) {
	if x == 0 || int(x) >= len(v.f.Ops) || v.f.Ops[x].Code == Invalid {
		v.fail("%s in b%d has no value v%d", what, b.ID, x)
		return
	}
	if c := v.f.Ops[x].Code; c == Const || c == Each || v.again(x, false, b, index) {
		return
	}
	at, placed := v.where[x]
	if !placed {
		if v.f.Ops[x].Code <= Result {
			v.fail("%s in b%d uses v%d, which nothing defines", what, b.ID, x)
			return
		}
		for _, a := range v.f.Ops[x].Operands() {
			v.use(a, b, index, what)
		}
		return
	}
	if at.block == b && at.index >= index || at.block != b && !v.dom.Dominates(at.block, b) {
		v.fail("%s in b%d uses v%d, which b%d computes too late", what, b.ID, x, at.block.ID)
	}
}

// computable tells whether a value is there at a position, or can be computed from what is: exits do that.
func (v *verifier) computable(x Value, b *Block, index int, what string) {
	if v.f.Ops[x].Code <= Result {
		v.use(x, b, index, what)
		return
	}
	if v.again(x, true, b, index) {
		return
	}
	for _, a := range v.f.Ops[x].Operands() {
		v.computable(a, b, index, what)
	}
}

func (v *verifier) block(b *Block) {
	items := b.Items()
	for i, item := range items {
		if item.Effect != nil {
			v.effect(b, i, item.Effect)
			continue
		}
		for _, a := range v.f.Ops[item.Value].Operands() {
			v.use(a, b, i, name(item.Value))
		}
	}
	if b.Cond != 0 {
		v.use(b.Cond, b, len(items), "the condition")
	}
	for _, e := range b.Out {
		for _, a := range e.Args {
			v.use(a, b, len(items), "an edge")
		}
		if b.Cold && !e.To.Cold && e.To.Level > b.Level {
			v.fail("b%d is hot inside of cold b%d", e.To.ID, b.ID)
		}
	}
}

// effect looks at what an effect reads, and that what may leave has a state.
func (v *verifier) effect(b *Block, i int, e *Effect) {
	v.grouped(b, e)
	for _, x := range e.Reads() {
		if e.Access != nil && x == e.Access.Index {
			v.computable(x, b, i, e.Kind.String()) // who goes lane by lane extends it there
			continue
		}
		v.use(x, b, i, e.Kind.String())
	}
	leaves := e.Kind == Fuel || e.Kind == Leave || e.Kind == Barrier || e.Kind == Helper
	switch e.Kind {
	case Load, Store, Atomic, AtomicOnce:
		leaves = e.Access.Check == 0
		v.access(b, i, e)
	case Barrier, Resume, Helper, Keep:
		v.waits(b, e)
	case Spare:
		if e.N <= 0 || len(e.Results) != 1 || v.f.TypeOf(e.Results[0]) != M || !v.f.IsNum(e.Results[0]) {
			v.fail("%v in b%d is none", e.Kind, b.ID)
		}
	case KeepFuel, JoinFuel:
		v.fuel(b, e)
	case Steps, Lanes, Fuel, Leave:
		if e.Mask == 0 || v.f.TypeOf(e.Mask) != M {
			v.fail("%v in b%d has no mask", e.Kind, b.ID)
		}
	}
	if leaves != (e.State != 0) || int(e.State) >= len(v.f.States) {
		v.fail("%v in b%d: state %d", e.Kind, b.ID, e.State)
		return
	}
	if !leaves {
		return
	}
	s := &v.f.States[e.State]
	for _, x := range s.Reads() {
		v.computable(x, b, i, fmt.Sprintf("state %d", e.State))
	}
	for _, h := range s.Homes {
		v.home(h, h.Value, fmt.Sprintf("state %d", e.State))
	}
}

// fuel holds an effect to what lanes have that wait: a number of 32 bits.
func (v *verifier) fuel(b *Block, e *Effect) {
	ok := e.Mask != 0 && v.f.TypeOf(e.Mask) == M && len(e.Args) == 1 && len(e.Results) == int(bit(e.Kind == KeepFuel))
	for _, x := range append(slices.Clone(e.Args), e.Results...) {
		ok = ok && v.f.TypeOf(x) == W && v.f.IsNum(x)
	}
	if !ok {
		v.fail("%v in b%d is none", e.Kind, b.ID)
	}
}

// grouped holds what an effect reads and makes to the lanes of its block's group, and the group to a warp: one that begins at a lane ends in it.
func (v *verifier) grouped(b *Block, e *Effect) {
	lanes := v.f.LanesIn(b)
	for _, x := range append(e.Reads(), e.Results...) {
		if v.f.Ops[x].Code != Const && !v.f.IsNum(x) && v.f.LanesOf(x) != lanes {
			v.fail("%v in b%d, of groups of %d lanes, has v%d of %d", e.Kind, b.ID, lanes, x, v.f.LanesOf(x))
		}
	}
	if (e.Kind == Keep || e.Kind == Resume) && (e.N < 0 || e.N%int64(lanes) != 0 || e.N+int64(lanes) > int64(v.f.Copies[0].Lanes)) {
		v.fail("%v in b%d is of %d lanes from %d on", e.Kind, b.ID, lanes, e.N)
	}
	leaves := e.State != 0
	if leaves && b.Lanes != 0 {
		v.fail("%v in b%d leaves while a group of the warp runs", e.Kind, b.ID)
	}
	for _, h := range e.Homes {
		if b.Lanes != 0 && h.Kind == Pred {
			v.fail("%v in b%d: a predicate of a group is not at home at %d", e.Kind, b.ID, h.Off)
		}
	}
}

// home holds a value to the form in which it is at home.
func (v *verifier) home(h Home, x Value, what string) {
	t := v.f.TypeOf(x)
	if (h.Kind == Pred) != (t == M) || h.Kind == Slot && !v.f.IsNum(x) {
		v.fail("%s: v%d is at home at %d", what, x, h.Off)
	}
}

// waits holds what is left at a barrier or for the interpreter, or found behind it, to its form.
func (v *verifier) waits(b *Block, e *Effect) {
	ok := true
	switch e.Kind {
	case Barrier:
		ok = v.f.Waits && e.Entry > 0 && len(e.Results) == 1
	case Resume:
		ok = len(e.Results) == len(e.Homes)
	case Helper:
		ok = e.Mask != 0 && v.f.TypeOf(e.Mask) == M && len(e.Args) == 1 && v.f.TypeOf(e.Args[0]) == M && len(e.Results) == 0
	}
	if !ok {
		v.fail("%v in b%d is none", e.Kind, b.ID)
		return
	}
	for i, h := range e.Homes {
		x := h.Value
		if e.Kind == Resume {
			x = e.Results[i]
		}
		v.home(h, x, fmt.Sprintf("%v in b%d", e.Kind, b.ID))
	}
}

// access looks at the form of an access and, if it does not test itself, for the test that covers it.
func (v *verifier) access(b *Block, i int, e *Effect) {
	a := e.Access
	n := len(e.Results)
	switch e.Kind {
	case Store:
		n = len(e.Args)
	case Atomic, AtomicOnce:
		n = 1
		if err := v.f.updates(e); err != nil {
			v.fail("%v in b%d: %v", e.Kind, b.ID, err)
		}
	}
	if n != int(a.Count) || len(a.Bits) != n || !slices.Contains([]uint8{1, 2, 4, 8}, a.Elem) || v.f.TypeOf(a.Base) != X || !v.f.IsNum(a.Base) ||
		a.Index != 0 && (v.f.TypeOf(a.Index) != X || a.Step != 0) || v.f.TypeOf(e.Mask) != M {
		v.fail("%v in b%d is no access", e.Kind, b.ID)
		return
	}
	if a.Check != 0 && !v.covered(b, i, e) {
		v.fail("%v at pc %d in b%d: check %d does not cover it", e.Kind, e.PC, b.ID, a.Check)
	}
}
