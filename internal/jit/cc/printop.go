package cc

// This file prints pure operations.

import (
	"fmt"
	"strings"

	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/unit"
)

// scalars are operations on numbers by the operation's width (32 and 64 bits): A, B and C are operands, SA and SB the same with a sign.
var scalars = map[ssa.Code][2]string{
	ssa.Add: {"A + B", "A + B"}, ssa.Sub: {"A - B", "A - B"}, ssa.Mul: {"A * B", "A * B"},
	ssa.MulHiU: {"(u64)A * B >> 32"}, ssa.MulHiS: {"(u64)((s64)(s32)A * (s32)B >> 32)"},
	ssa.And: {"A & B", "A & B"}, ssa.Or: {"A | B", "A | B"}, ssa.Xor: {"A ^ B", "A ^ B"},
	ssa.MinS: {"SA < SB ? A : B", "SA < SB ? A : B"}, ssa.MaxS: {"SA > SB ? A : B", "SA > SB ? A : B"},
	ssa.MinU: {"A < B ? A : B", "A < B ? A : B"}, ssa.MaxU: {"A > B ? A : B", "A > B ? A : B"},
	ssa.DivU: {"B ? A / B : -1", "B ? A / B : -1"}, ssa.RemU: {"B ? A % B : -1", "B ? A % B : -1"},
	ssa.Shl: {"shlw(A, B)", "shlx(A, B)"}, ssa.Shr: {"shrw(A, B)", "shrx(A, B)"}, ssa.Sar: {"sarw(A, B)", "sarx(A, B)"},
	ssa.Popc: {"__builtin_popcount(A)", "__builtin_popcountl(A)"}, ssa.Zext: {"", "(u64)A"}, ssa.Sext: {"", "(s64)(s32)A"}, ssa.Trunc: {"(u32)A"},
	ssa.Eq: {"A == B", "A == B"}, ssa.Ne: {"A != B", "A != B"}, ssa.LtS: {"SA < SB", "SA < SB"}, ssa.LeS: {"SA <= SB", "SA <= SB"},
	ssa.LtU: {"A < B", "A < B"}, ssa.LeU: {"A <= B", "A <= B"},
	ssa.Select: {"A ? B : C", "A ? B : C"}, ssa.Not: {"!A"},
}

// vectors are operations on parts of lanes: A, B and C are operands, all of 32 bytes, IMM is the immediate.
var vectors = map[ssa.Code][2]string{
	ssa.Add: {"A + B", "A + B"}, ssa.Sub: {"A - B", "A - B"}, ssa.Mul: {"A * B", "A * B"},
	ssa.MulHiU: {"mulhiu8(A, B)"}, ssa.MulHiS: {"mulhis8(A, B)"},
	ssa.And: {"A & B", "A & B"}, ssa.Or: {"A | B", "A | B"}, ssa.Xor: {"A ^ B", "A ^ B"},
	ssa.MinS: {"pickw(A < B, A, B)", "pickx(A < B, A, B)"}, ssa.MaxS: {"pickw(A > B, A, B)", "pickx(A > B, A, B)"},
	ssa.MinU: {"pickw((uw8)A < (uw8)B, A, B)", "pickx((ux4)A < (ux4)B, A, B)"}, ssa.MaxU: {"pickw((uw8)A > (uw8)B, A, B)", "pickx((ux4)A > (ux4)B, A, B)"},
	ssa.DivU: {"divuw8(A, B)", "divux4(A, B)"}, ssa.RemU: {"remuw8(A, B)", "remux4(A, B)"},
	ssa.Shl: {"shlw8(A, B)", "shlx4(A, B)"}, ssa.Shr: {"shrw8(A, B)", "shrx4(A, B)"}, ssa.Sar: {"sarw8(A, B)", "sarx4(A, B)"},
	ssa.Popc: {"popcw8(A)", "popcx4(A)"},
	ssa.Eq:   {"(w8)(A == B)", "(x4)(A == B)"}, ssa.Ne: {"(w8)(A != B)", "(x4)(A != B)"}, ssa.LtS: {"(w8)(A < B)", "(x4)(A < B)"}, ssa.LeS: {"(w8)(A <= B)", "(x4)(A <= B)"},
	ssa.LtU: {"(w8)((uw8)A < (uw8)B)", "(x4)((ux4)A < (ux4)B)"}, ssa.LeU: {"(w8)((uw8)A <= (uw8)B)", "(x4)((ux4)A <= (ux4)B)"},
	ssa.Select: {"pickw(A, B, C)", "pickx(A, B, C)"}, ssa.Not: {"~A"},
	ssa.Dot16: {"__builtin_ia32_pmaddwd256((h16)A, (h16)B)"}, ssa.MulHi16: {"(w8)__builtin_ia32_pmulhuw256((h16)A, (h16)B)"},
	ssa.FAdd: {"(w8)((f8)A + (f8)B)", "addd4(A, B)"}, ssa.FSub: {"(w8)((f8)A - (f8)B)", "(x4)((d4)A - (d4)B)"},
	ssa.FMul: {"(w8)((f8)A * (f8)B)", "muld4(A, B)"}, ssa.FDiv: {"(w8)((f8)A / (f8)B)", "(x4)((d4)A / (d4)B)"},
	ssa.FFma:  {"(w8)__builtin_ia32_vfmaddps256((f8)A, (f8)B, (f8)C)", "(x4)__builtin_ia32_vfmaddpd256((d4)A, (d4)B, (d4)C)"},
	ssa.FSqrt: {"(w8)__builtin_ia32_sqrtps256((f8)A)", "(x4)__builtin_ia32_sqrtpd256((d4)A)"},
	ssa.FMin:  {"(w8)__builtin_ia32_minps256((f8)A, (f8)B)", "(x4)__builtin_ia32_minpd256((d4)A, (d4)B)"},
	ssa.FMax:  {"(w8)__builtin_ia32_maxps256((f8)A, (f8)B)", "(x4)__builtin_ia32_maxpd256((d4)A, (d4)B)"},
	ssa.FEq:   {"(w8)((f8)A == (f8)B)", "(x4)((d4)A == (d4)B)"}, ssa.FLt: {"(w8)((f8)A < (f8)B)", "(x4)((d4)A < (d4)B)"},
	ssa.FLe: {"(w8)((f8)A <= (f8)B)", "(x4)((d4)A <= (d4)B)"}, ssa.FUnord: {"(w8)((f8)A != (f8)A) | (w8)((f8)B != (f8)B)", "(x4)((d4)A != (d4)A) | (x4)((d4)B != (d4)B)"},
	ssa.Canon: {"canon(A)"}, ssa.I2F: {"(w8)__builtin_convertvector(A, f8)"}, ssa.U2F: {"u2f8(A)"},
	ssa.FRound: {"(w8)__builtin_ia32_roundps256((f8)A, IMM)", "(x4)__builtin_ia32_roundpd256((d4)A, IMM)"},
	ssa.FAdd2:  {"", "(x4)((f8)A + (f8)B)"}, ssa.FSub2: {"", "(x4)((f8)A - (f8)B)"}, ssa.FMul2: {"", "(x4)((f8)A * (f8)B)"},
	ssa.FFma2: {"", "(x4)__builtin_ia32_vfmaddps256((f8)A, (f8)B, (f8)C)"}, ssa.Canon2: {"", "(x4)canon((w8)A)"},
	ssa.F2I: {"__builtin_ia32_cvttps2dq256((f8)A)"}, ssa.H2F: {"h2f8(A)"}, ssa.F2H: {"f2h8(A, IMM)"},
}

// resized are operations whose result has another width than the operand: of half a part, or of a part to half of one.
var resized = map[ssa.Code]string{ssa.Zext: "zextw", ssa.Sext: "sextw", ssa.F2D: "f2d", ssa.I2D: "i2d", ssa.D2F: "d2f", ssa.D2I: "d2i"}

// op prints the computation of a value.
func (p *printer) op(v ssa.Value) {
	o := &p.f.Ops[v]
	switch o.Code {
	case ssa.Const, ssa.Each, ssa.Strided, ssa.Bcast: // written where they are used
	case ssa.Field:
		p.linef("\tv%d_0 = *(u%d *)(s + %d);", v, o.Type.Bits(), o.Imm)
	case ssa.Arg:
		p.linef("\tv%d_0 = *(u%dm *)(K + %d);", v, o.Type.Bits(), o.Imm)
	case ssa.Any:
		p.linef("\tv%d_0 = %s;", v, p.anyOf(o.A))
	case ssa.All:
		p.linef("\tv%d_0 = bits(%s) == 0xff;", v, p.joined(o.A, " & "))
	case ssa.Ballot:
		p.linef("\tv%d_0 = %s;", v, p.bitsOf(o.A))
	case ssa.Least, ssa.Most, ssa.Sum, ssa.AndAll, ssa.OrAll, ssa.XorAll:
		p.reduced(v, o)
	case ssa.Runs:
		p.linef("\t{ u32 f = %s[0]; w8 d = %s; v%d_0 = __builtin_ia32_ptestz256((x4)d, (x4)d) & ((s32)f <= 0x7fffffff - %d); }", p.part(o.A, 0), p.notRuns(o.A), v, p.f.LanesOf(o.A)-1)
	case ssa.Rows:
		p.linef("\tv%d_0 = *(u64m *)(b.warps + WSIZE * %s + WREGS) + %d - (u64)G;", v, p.num(o.A), o.Imm)
	case ssa.Inside:
		p.inside(v, o)
	case ssa.Perm:
		p.perm(v, o)
	case ssa.Shuffle:
		p.shuffle(v, o)
	case ssa.Lookup:
		p.lookup(v, o)
	default:
		p.arithmetic(v, o)
	}
}

// each is part i of a table of lanes.
func (p *printer) each(o *ssa.Op, i int) string {
	table := p.f.Tables[o.Imm]
	return "(" + literal(o.Type, i, func(lane int) int64 {
		if o.Type == ssa.M {
			return -int64(table[lane])
		}
		return int64(table[lane])
	}) + ")"
}

// literal is vector i of lanes that are known.
func literal(t ssa.Type, i int, of func(lane int) int64) string {
	n, typ := 8, "w8"
	if t == ssa.X {
		n, typ = 4, "x4"
	}
	var list []string
	for lane := n * i; lane < n*i+n; lane++ {
		k := of(lane)
		if t == ssa.W {
			k = int64(int32(k))
		}
		list = append(list, fmt.Sprint(k))
	}
	return fmt.Sprintf("(%s){%s}", typ, strings.Join(list, ", "))
}

// strided is part i of a strided value.
func (p *printer) strided(o *ssa.Op, i int) string {
	return fmt.Sprintf("(%s + %s)", p.spread(o.A), literal(o.Type, i, func(lane int) int64 { return int64(o.Imm) * int64(lane) }))
}

// combining are the operations by which lanes become a number: of two vectors, and of two lanes, X and Y.
var combining = map[ssa.Code][2]string{
	ssa.Least: {"pickw(X < Y, X, Y)", "X < Y ? X : Y"}, ssa.Most: {"pickw(X > Y, X, Y)", "X > Y ? X : Y"}, ssa.Sum: {"X + Y", "X + Y"},
	ssa.AndAll: {"X & Y", "X & Y"}, ssa.OrAll: {"X | Y", "X | Y"}, ssa.XorAll: {"X ^ Y", "X ^ Y"},
}

// reduced prints what an operation makes of all lanes.
func (p *printer) reduced(v ssa.Value, o *ssa.Op) {
	rules := combining[o.Code]
	p.linef("\t{ w8 x = %s;", p.part(o.A, 0))
	for i := 1; i < p.f.LanesOf(o.A)/8; i++ {
		p.linef("\tx = %s;", replace(rules[0], []string{"X", "x", "Y", p.part(o.A, i)}))
	}
	p.linef("\ts32 y = x[0]; for (int i = 1; i < 8; i++) y = %s;\n\tv%d_0 = y; }", replace(rules[1], []string{"X", "y", "Y", "x[i]"}), v)
}

// notRuns is a vector of zeros where lanes are the first lane and their number.
func (p *printer) notRuns(word ssa.Value) string {
	var list []string
	for i := range p.f.LanesOf(word) / 8 {
		list = append(list, fmt.Sprintf("(%s - wu(f + %d) ^ (w8){0, 1, 2, 3, 4, 5, 6, 7})", p.part(word, i), 8*i))
	}
	return strings.Join(list, " | ")
}

// inside prints what a check says of an address.
func (p *printer) inside(v ssa.Value, o *ssa.Op) {
	c := &p.f.Checks[o.Imm]
	text := fmt.Sprintf("%s + %dul - start%d < fits(%s, %d)", p.num(o.A), uint64(c.Lo), c.Bounds, sizeOf(c.Bounds, c.Store), c.Hi-c.Lo)
	if c.Align > 1 {
		text += fmt.Sprintf(" & !(%s & %d)", p.num(o.A), c.Align-1)
	}
	p.linef("\tv%d_0 = %s;", v, text)
}

// sizeOf is how many bytes of an allocation may be touched.
func sizeOf(bounds int32, store bool) string {
	if store {
		return fmt.Sprintf("wsize%d", bounds)
	}
	return fmt.Sprintf("size%d", bounds)
}

// perm prints a permutation of the bytes of two words.
func (p *printer) perm(v ssa.Value, o *ssa.Op) {
	if p.f.IsNum(v) {
		var list []string
		for k := range 4 {
			from, n := p.num(o.A), o.Imm>>(4*k)&7
			if n > 3 {
				from, n = p.num(o.B), n-4
			}
			list = append(list, fmt.Sprintf("(%s >> %d & 255) << %d", from, 8*n, 8*k))
		}
		p.linef("\tv%d_0 = %s;", v, strings.Join(list, " | "))
		return
	}
	var list []string
	for lane := range 8 {
		for k := range 4 {
			n := int(o.Imm >> (4 * k) & 7)
			list = append(list, fmt.Sprint(n/4*32+lane*4+n%4))
		}
	}
	for i := range p.partsOf(v) {
		p.linef("\tv%d_%d = (w8)__builtin_shufflevector((c32)%s, (c32)%s, %s);", v, i, p.part(o.A, i), p.part(o.B, i), strings.Join(list, ", "))
	}
}

// shuffle prints lanes of a warp in another order.
func (p *printer) shuffle(v ssa.Value, o *ssa.Op) {
	var parts, take []string
	for i := range 4 {
		parts = append(parts, p.part(o.A, i))
	}
	for lane := range 8 {
		take = append(take, fmt.Sprintf("((const u32m *)t)[b[%d]]", lane))
	}
	p.linef("\t{ const w8 t[4] = {%s};", strings.Join(parts, ", "))
	for i := range p.partsOf(v) {
		p.linef("\t{ const w8 b = %s & 31; v%d_%d = (w8){%s}; }", p.part(o.B, i), v, i, strings.Join(take, ", "))
	}
	p.linef("\t}")
}

// lookup prints words of a table.
func (p *printer) lookup(v ssa.Value, o *ssa.Op) {
	list := unit.Table(o.Imm).Words()
	var text, take []string
	for _, w := range list {
		text = append(text, fmt.Sprint(w))
	}
	for lane := range 8 {
		take = append(take, fmt.Sprintf("t[x[%d]]", lane))
	}
	p.linef("\t{ static const u32 t[%d] = {%s};", len(list), strings.Join(text, ", "))
	for i := range p.partsOf(v) {
		p.linef("\t{ const w8 x = %s & %d; v%d_%d = (w8){%s}; }", p.part(o.A, i), len(list)-1, v, i, strings.Join(take, ", "))
	}
	p.linef("\t}")
}

// width is the place of an operation in the tables: by its operands, where they are wider than its result.
func (p *printer) width(o *ssa.Op) int {
	if o.Type == ssa.X || o.N > 0 && !o.Code.Narrows() && p.f.TypeOf(o.Operands()[o.N-1]) == ssa.X {
		return 1
	}
	return 0
}

func (p *printer) arithmetic(v ssa.Value, o *ssa.Op) {
	w := p.width(o)
	if p.f.IsNum(v) {
		signed := [2]string{"(s32)", "(s64)"}[w]
		rule := scalars[o.Code][w]
		p.found(rule, o)
		var pairs []string
		for i, a := range o.Operands() {
			name, text := string("ABC"[i]), p.num(a)
			pairs = append(pairs, "S"+name, signed+text, name, text)
		}
		p.linef("\tv%d_0 = %s;", v, replace(rule, pairs))
		return
	}
	switch {
	case o.Code.Widens():
		p.widen(v, o)
		return
	case o.Code == ssa.Trunc:
		for i := range p.partsOf(v) {
			p.linef("\tv%d_%d = even(%s, %s);", v, i, p.part(o.A, 2*i), p.part(o.A, 2*i+1))
		}
		return
	case o.Code.Narrows():
		for i := range p.partsOf(v) {
			p.linef("\tv%d_%d = joined(%s(%s), %s(%s));", v, i, resized[o.Code], p.part(o.A, 2*i), resized[o.Code], p.part(o.A, 2*i+1))
		}
		return
	case o.Type == ssa.M && w == 1:
		p.compareWide(v, o)
		return
	}
	for i := range p.partsOf(v) {
		p.linef("\tv%d_%d = %s;", v, i, p.vector(o, w, i))
	}
}

// vector is part i of an operation on lanes.
func (p *printer) vector(o *ssa.Op, w, i int) string {
	rule := vectors[o.Code][w]
	p.found(rule, o)
	pairs := []string{"IMM", fmt.Sprint(o.Imm)}
	for k, a := range o.Operands() {
		part := p.part
		if w == 1 && p.f.TypeOf(a) == ssa.M {
			part = p.wide
		}
		pairs = append(pairs, string("ABC"[k]), part(a, i))
	}
	return replace(p.shiftRule(rule, o), pairs)
}

// shiftRule is the plain shift where the count is known to be below the width.
func (p *printer) shiftRule(rule string, o *ssa.Op) string {
	if o.Code != ssa.Shl && o.Code != ssa.Shr && o.Code != ssa.Sar {
		return rule
	}
	k, ok := p.f.Known(o.B)
	if !ok || k >= uint64(o.Type.Bits()) {
		return rule
	}
	typ := map[ssa.Type]string{ssa.W: "w8", ssa.X: "x4"}[o.Type]
	switch o.Code {
	case ssa.Shl:
		return fmt.Sprintf("A << %d", k)
	case ssa.Sar:
		return fmt.Sprintf("A >> %d", k)
	}
	return fmt.Sprintf("(%s)((u%s)A >> %d)", typ, typ, k)
}

func (p *printer) found(rule string, o *ssa.Op) {
	if rule == "" {
		p.failf("%v.%v is not written in C", o.Code, o.Type)
	}
}

// replace puts operands into a rule, names of two letters first.
func replace(rule string, pairs []string) string {
	var b strings.Builder
	for i := 0; i < len(rule); i++ {
		n := 0
		for k := 0; k < len(pairs) && n == 0; k += 2 {
			if strings.HasPrefix(rule[i:], pairs[k]) {
				b.WriteString(pairs[k+1])
				n = len(pairs[k])
			}
		}
		if n == 0 {
			b.WriteByte(rule[i])
			n = 1
		}
		i += n - 1
	}
	return b.String()
}

// widen prints words as lanes of 64 bits.
func (p *printer) widen(v ssa.Value, o *ssa.Op) {
	for i := range p.partsOf(v) {
		half := [2]string{"low", "high"}[i%2]
		p.linef("\tv%d_%d = %s(%s(%s));", v, i, resized[o.Code], half, p.part(o.A, i/2))
	}
}

// compareWide prints a comparison of lanes of 64 bits: two results are one mask.
func (p *printer) compareWide(v ssa.Value, o *ssa.Op) {
	for i := range p.partsOf(v) {
		p.linef("\tv%d_%d = even(%s, %s);", v, i, p.vector(o, 1, 2*i), p.vector(o, 1, 2*i+1))
	}
}
