package isa

// This file holds the predicates of the check clause: rules that no clause of the notation
// expresses. Each returns what is wrong, "" if nothing.

import (
	"fmt"
	"slices"
)

// checkFunc judges a statement that fits a plan.
type checkFunc func(q *Query, p *plan) string

// namedCheck is a predicate of a plan.
type namedCheck struct {
	name  string
	finds checkFunc
}

// checks are the predicates by the names that the data uses.
var checks map[string]checkFunc

func init() {
	checks = map[string]checkFunc{
		satCanClip:                  checkSatCanClip,
		"ld.param_space":            checkLoadParam,
		"st.param_space":            checkStoreParam,
		"unified_variable":          checkUnified,
		"bar.count_multiple":        checkBarrierCount,
		"address.register":          checkAddressRegister,
		"address.wide":              checkWideAddress,
		"st.bulk.size":              checkBulkSize,
		"bulk.size":                 checkSixteenths,
		"bulk.mbarrier":             checkBulkBarrier,
		"movmatrix.source":          checkMovmatrixSource,
		"setmaxnreg.multiple":       checkRegisterCount,
		"createpolicy.primary_size": checkPrimarySize,
		"createpolicy.fraction":     checkFraction,
		"cp.async.source_size":      checkSourceSize,
		"mma.scale_selector":        checkScaleSelector,
		"mma.constants":             checkFragmentConstants(8),
		"wmma.constants":            checkFragmentConstants(4),
		"tex.mode":                  checkTexMode,
		"mov.operands":              checkMovOperands,
		"mov.address":               checkMovAddress,
		"surface.operands":          checkSurfaceOperands,
		"video.merge":               checkVideoMerge,
		"video.negation":            checkVideoNegation,
		"call.signature":            checkElsewhere,
		"tcgen05.columns":           checkTensorColumns,
		"tcgen05.registers":         checkRegisterVector,
	}
}

// kindChecks are the predicates that look at kinds and types of operands and at variables, not at the value of a
// constant.
var kindChecks = map[string]bool{
	satCanClip: true, "ld.param_space": true, "st.param_space": true, "unified_variable": true, "address.register": true,
	"mov.operands": true, "mov.address": true,
}

// satCanClip is the one predicate about modifiers alone, which samples must satisfy.
const satCanClip = "cvt.sat_can_clip"

// checkElsewhere stands for rules about declarations, which package check applies.
func checkElsewhere(*Query, *plan) string { return "" }

// checkVideoMerge: a part of the destination is merged into c, which a second operation would
// take for itself (9.7.18.1).
func checkVideoMerge(q *Query, p *plan) string {
	if d := p.operand(q, "d"); d.Selector == "" {
		return ""
	}
	if p.operand(q, "c") == nil {
		return "a part of the destination needs a third source, which it is merged into"
	}
	if p.has(".add") || p.has(".min") || p.has(".max") {
		return "a part of the destination leaves no place for a second operation"
	}
	return ""
}

// checkVideoNegation: the product is negated, or c, and neither beside .po (9.7.18.1.3).
func checkVideoNegation(q *Query, p *plan) string {
	negative := func(role string) bool { return p.operand(q, role).Minus }
	product := negative("a") != negative("b")
	switch {
	case product && negative("c"):
		return "the product is negated, or c, but not both"
	case p.has(".po") && (negative("a") || negative("b") || negative("c")):
		return ".po takes no negated operand"
	}
	return ""
}

// checkMovAddress: the address of a global variable has 64 bits, but ptxas asks only where the name stands alone (9.7.9.3).
func checkMovAddress(q *Query, p *plan) string {
	a := p.operand(q, "a")
	if a != nil && a.Kind == ShapeSym && a.Space == GlobalSpace && !a.Offset && p.typeOf(".type").Bits() == 32 {
		return "the address of a global variable does not fit 32 bits"
	}
	return ""
}

// checkMovOperands: one side alone stands in braces (9.7.9.3: packing or unpacking).
func checkMovOperands(q *Query, p *plan) string {
	a, d := p.operand(q, "a"), p.operand(q, "d")
	if a != nil && d != nil && a.Kind == ShapeVec && d.Kind == ShapeVec {
		return "mov packs or unpacks: only one side stands in braces"
	}
	return ""
}

// checkSurfaceOperands: a single coordinate in braces is one coordinate, and constants and special
// registers stand in braces only; a surface takes no displacement (facts: ptxas).
func checkSurfaceOperands(q *Query, p *plan) string {
	b, c := p.operand(q, "b"), p.operand(q, "c")
	switch a := p.operand(q, "a"); {
	case a.Offset:
		return "a surface has no parts: nothing can be added to it"
	case b != nil && b.Kind == ShapeVec && len(b.Elems) == 1 && !p.has(".1d"):
		return "this geometry has more than one coordinate"
	case b != nil && (b.Kind == ShapeImm || b.Kind == ShapeSpecial):
		return "a coordinate that is no register stands in braces"
	case c != nil && c.Kind == ShapeSpecial:
		return "a special register stands in braces"
	}
	return ""
}

// typeOf returns the type that is the value of a class.
func (p *plan) typeOf(class string) Type {
	return p.sel.Type(Class(p.sel.Entry.table.classes.lookup(class)))
}

// operand returns the operand of a role, nil if the statement has none.
func (p *plan) operand(q *Query, role string) *Shape {
	for i, r := range p.sel.Entry.roles {
		if p.env.present>>i&1 != 0 && p.sel.Entry.table.roles.name(r) == role {
			return p.shape(q, i)
		}
	}
	return nil
}

// base returns the base of the first address, nil if it has none.
func base(q *Query) *Shape {
	for i := range q.Operands {
		if s := &q.Operands[i]; s.Kind == ShapeAddr && len(s.Elems) > 0 {
			return &s.Elems[0]
		}
	}
	return nil
}

// checkSatCanClip: an integer conversion saturates only if a value can be out of range
// (9.7.9.21).
func checkSatCanClip(_ *Query, p *plan) string {
	d, a := p.typeOf(".dtype"), p.typeOf(".atype")
	dk, ak := d.Kind(), a.Kind()
	whole := func(k Kind) bool { return k == Signed || k == Unsigned }
	if !whole(dk) || !whole(ak) {
		return ""
	}
	if dk == ak && d.Bits() >= a.Bits() || dk == Signed && ak == Unsigned && d.Bits() > a.Bits() {
		return fmt.Sprintf(".sat has no meaning here: every %s is a %s", a, d)
	}
	return ""
}

// checkLoadParam: .param::entry and .param::func name whose parameter is read (9.7.9.8).
func checkLoadParam(q *Query, p *plan) string {
	b := base(q)
	if b == nil || b.Kind != ShapeSym || b.Space != ParamSpace {
		return ""
	}
	switch {
	case p.has(".param::entry") && b.Param != KernelParam:
		return "this is no kernel parameter"
	case p.has(".param::func") && b.Param == KernelParam:
		return "this is a kernel parameter"
	}
	return ""
}

// checkStoreParam: kernel parameters are read-only (9.7.9.11).
func checkStoreParam(q *Query, p *plan) string {
	b := base(q)
	if b == nil || b.Kind != ShapeSym || b.Space != ParamSpace {
		return ""
	}
	if b.Param == KernelParam {
		return "a kernel parameter is read-only"
	}
	return ""
}

// has reports whether the statement has the modifier of a spelling.
func (p *plan) has(spelling string) bool {
	m := p.sel.Entry.table.knownMod(spelling)
	return m != 0 && p.sel.Has(m)
}

// checkUnified: a variable in a .unified access was declared so (9.7.9.8).
func checkUnified(q *Query, _ *plan) string {
	if b := base(q); b != nil && b.Kind == ShapeSym && !b.Unified {
		return "the variable has no .attribute(.unified)"
	}
	return ""
}

// checkAddressRegister: the address is a register, not a variable.
func checkAddressRegister(q *Query, _ *plan) string {
	if b := base(q); b != nil && b.Kind != ShapeReg {
		return "the address must be a register"
	}
	return ""
}

// wideAddresses is from where on the addresses of hints have 64 bits and are none in shared memory (facts: ptxas).
const wideAddresses = 100

// checkWideAddress: registers of fewer bits and names in shared memory are addresses of hints on older targets only.
func checkWideAddress(q *Query, _ *plan) string {
	b := base(q)
	switch {
	case b == nil || q.Target.Arch < wideAddresses:
		return ""
	case b.Kind == ShapeReg && b.Type.Bits() != 64:
		return fmt.Sprintf("from sm_%d on the address has 64 bits", wideAddresses)
	case b.Kind == ShapeSym && b.Space == SharedSpace:
		return fmt.Sprintf("from sm_%d on the address is none in shared memory", wideAddresses)
	}
	return ""
}

// checkBulkSize: whole words of 8 bytes are filled (9.7.9.13).
func checkBulkSize(q *Query, p *plan) string {
	if s := p.operand(q, "size"); s != nil && s.Kind == ShapeImm && s.Value%8 != 0 {
		return "the size must be a multiple of 8"
	}
	return ""
}

// checkSixteenths: bulk operations work on whole units of 16 bytes (9.7.9.25.4, 9.4: 9.7.10.18).
func checkSixteenths(q *Query, p *plan) string {
	if s := p.operand(q, "size"); s != nil && s.Kind == ShapeImm && s.Value%16 != 0 {
		return "the size must be a multiple of 16"
	}
	return ""
}

// checkBulkBarrier: a register of 16 bits is no address of an mbarrier here, though one of 8 bits is (facts: ptxas).
func checkBulkBarrier(q *Query, p *plan) string {
	m := p.operand(q, "mbar")
	if m == nil || len(m.Elems) != 1 {
		return ""
	}
	if r := &m.Elems[0]; r.Kind == ShapeReg && r.Type.Bits() == 16 {
		return "the address of the mbarrier needs a register of at least 32 bits"
	}
	return ""
}

// checkMovmatrixSource: no literal is a matrix (facts: ptxas).
func checkMovmatrixSource(q *Query, p *plan) string {
	if a := p.operand(q, "a"); a != nil && a.Kind == ShapeImm {
		return "the matrix is a register in each lane, not a constant"
	}
	return ""
}

// checkBarrierCount: the number of threads is a multiple of the warp size (9.7.13.1).
func checkBarrierCount(q *Query, p *plan) string {
	if b := p.operand(q, "b"); b != nil && b.Kind == ShapeImm && b.Value%32 != 0 {
		return "the number of threads must be a multiple of 32"
	}
	return ""
}

// checkRegisterCount: 24 to 256 registers, in steps of 8 (9.7.19.5).
func checkRegisterCount(q *Query, _ *plan) string {
	for i := range q.Operands {
		if s := &q.Operands[i]; s.Kind == ShapeImm && s.Value%8 != 0 {
			return "the number of registers must be a multiple of 8"
		}
	}
	return ""
}

// checkPrimarySize: the part with the first priority is no longer than the whole (9.7.9.18).
func checkPrimarySize(q *Query, p *plan) string {
	return p.atMost(q, "primary-size", "total-size")
}

// Bits of the greatest .f64 that becomes 0 as .f32, and of the greatest that becomes 1.
const (
	zeroAsSingle = 0x3690000000000000
	oneAsSingle  = 0x3ff0000010000000
	oneSingle    = 0x3f800000
)

// checkFraction: a share of the accesses is, as .f32, more than 0 and at most 1 (9.7.9.18).
func checkFraction(q *Query, p *plan) string {
	s := p.operand(q, "fraction")
	if s == nil || s.Kind != ShapeImm {
		return ""
	}
	first, last := uint64(zeroAsSingle), uint64(oneAsSingle)
	if s.Hex && !s.Double {
		first, last = 0, oneSingle
	}
	if bits := uint64(s.Value); bits <= first || bits > last {
		return "the fraction must be more than 0.0 and at most 1.0"
	}
	return ""
}

// checkSourceSize: no more bytes are read than written (9.7.9.25.3.1).
func checkSourceSize(q *Query, p *plan) string { return p.atMost(q, "rest", "cp-size") }

// atMost compares two constants.
func (p *plan) atMost(q *Query, small, large string) string {
	a, b := p.operand(q, small), p.operand(q, large)
	if a != nil && b != nil && a.Kind == ShapeImm && b.Kind == ShapeImm && uint32(a.Value) > uint32(b.Value) { // as 32 bits (facts: ptxas)
		return fmt.Sprintf("%s, %d, must be at most %s, %d", small, a.Value, large, b.Value)
	}
	return ""
}

// checkScaleSelector: the byte and the thread that hold the scale factors (9.7.14.3); the size of the scale
// vector and the matrix bound constants.
func checkScaleSelector(q *Query, p *plan) string {
	step, last := int64(1), int64(3)
	switch {
	case p.has(".scale_vec::4X"):
		last = 0
	case p.has(".scale_vec::2X") || p.has(".kind::mxf4"):
		step, last = 2, 2
	}
	for i, role := range []string{"sel-a", "sel-b"} {
		s, threads := p.operand(q, role), []int64{1, 3}[i]
		if s == nil || len(s.Elems) != 2 {
			continue
		}
		id, thread := &s.Elems[0], &s.Elems[1]
		switch {
		case id.Kind == ShapeImm && (id.Value < 0 || id.Value > last || id.Value%step != 0):
			return fmt.Sprintf("the byte of %s must be a multiple of %d up to %d", role, step, last)
		case thread.Kind == ShapeImm && (thread.Value < 0 || thread.Value > threads):
			return fmt.Sprintf("the thread of %s must be 0 to %d", role, threads)
		}
	}
	return ""
}

// checkFragmentConstants: ptxas gives the constants in C a type by what stands beside them, in the whole fragment and, for
// wmma.mma, in each part that it makes one instruction of. Constants of 64 bits alone do not become f32, and behind a
// constant written by its 32 bits no other kind of constant fits.
func checkFragmentConstants(part int) func(*Query, *plan) string {
	return func(q *Query, p *plan) string {
		c := p.operand(q, "c")
		if c == nil || c.Kind != ShapeVec {
			return ""
		}
		if msg := untypedConstants(c.Elems); msg != "" {
			return msg
		}
		for elems := range slices.Chunk(c.Elems, part) {
			if msg := untypedConstants(elems); msg != "" {
				return msg
			}
		}
		return ""
	}
}

func untypedConstants(list []Shape) string {
	single := func(s Shape) bool { return s.Hex && !s.Double }
	if !slices.ContainsFunc(list, func(s Shape) bool { return s.Kind != ShapeImm || single(s) }) {
		return fmt.Sprintf("c needs a register or a constant in 0f… among %d elements", len(list))
	}
	if single(list[0]) && slices.ContainsFunc(list, func(s Shape) bool { return s.Kind == ShapeImm && !single(s) }) {
		return "the constants behind one that c begins with in 0f… are written so, too"
	}
	return ""
}

// checkTexMode: samplers are operands in independent mode only (9.7.10.1).
func checkTexMode(q *Query, p *plan) string {
	switch sampler := p.operand(q, "b") != nil; {
	case sampler && !q.Independent:
		return "a sampler operand needs .target texmode_independent"
	case !sampler && q.Independent:
		return "texmode_independent needs a sampler operand"
	}
	return ""
}

// checkTensorColumns: exclusive allocations of tensor memory are whole units of 32 columns
// (PTX 9.4).
func checkTensorColumns(q *Query, p *plan) string {
	if s := p.operand(q, "columns"); s != nil && s.Kind == ShapeImm && (uint32(s.Value) == 0 || s.Value%32 != 0) {
		return "the number of columns must be a multiple of 32, and not 0"
	}
	return ""
}

// checkRegisterVector: what tcgen05.ld and st move is not constants alone.
func checkRegisterVector(q *Query, p *plan) string {
	s := p.operand(q, "r")
	if s == nil {
		s = p.operand(q, "mdata")
	}
	if !slices.ContainsFunc(s.Elems, func(e Shape) bool { return e.Kind != ShapeImm }) {
		return "at least one element must be a register"
	}
	return ""
}
