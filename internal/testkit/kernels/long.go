package kernels

// Long kernels: hundreds of instructions nearly without control flow, among which dozens of registers are live all the
// time, as unrolled ciphers, permutations of bits and arithmetic of many words are. All that runs out in a compiler runs
// out here: registers, places to spill to, rows of indices, the memory of a run.

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// longOwn is what a thread of a long kernel writes at the end, at most.
const longOwn = 3072

// long draws a long kernel.
type long struct {
	*rand.Rand
	k                   *Kernel
	words, wides, ptrs  int // registers %v, %w, %a
	kinds               int // of first values that it has
	left                int // instructions to draw
	names, areas, depth int
	wild                bool // an access may be out of bounds
}

// NewLong draws the long kernel of a seed: 150 to 600 instructions, 40 to 120 registers that are live throughout, in few
// kernels some hundreds.
func NewLong(seed uint64) *Kernel {
	l := &long{Rand: rand.New(rand.NewPCG(seed, 91)), k: &Kernel{own: longOwn}}
	live := 40 + l.IntN(81)
	if l.IntN(16) == 0 {
		live = 250 + l.IntN(100) // more than a run has places for
	}
	l.ptrs = l.IntN(min(live/3, 24))
	l.wides = l.IntN(live - l.ptrs - 8)
	l.words = max(live-l.ptrs-l.wides-longPreds, 6)
	l.left, l.wild = 150+l.IntN(451)+4*(live/250)*live, l.IntN(16) == 0
	l.kinds = 1 + l.IntN(len(longFirst))
	l.k.head, l.k.tail = l.begin(), l.end()
	if l.IntN(3) == 0 {
		l.k.Nodes = append(l.k.Nodes, &Node{Before: fmt.Sprintf("setp.ge.u32 %%q, %s, %d;\n@%%q bra DONE;\n", pick(l.Rand, "%g", "%tx"), 1+l.IntN(2*threads))})
	}
	if l.IntN(4) == 0 {
		l.k.Nodes = append(l.k.Nodes, l.turns())
	}
	l.k.Nodes = append(l.k.Nodes, l.block(1<<30)...)
	return l.k
}

const longPreds = 4

// longBits are registers %i of twelve bits that are permuted, and index memory.
const longBits = 6

// longFirst are first values of words: of as many kinds, from the front, as a kernel has.
var longFirst = []string{
	"mad.lo.u32 DST, %tx, ODD, ANY;\n",
	"shr.u32 DST, %tx, FEW;\n",
	"mov.u32 DST, ANY;\n",
	"mad.lo.u32 DST, %lane, FEW, FEW;\n",
	"mad.lo.u32 DST, %g, ODD, ANY;\n",
	"add.u32 DST, %n, FEW;\n",
	"mul.wide.u32 %d1, %tx, 4; add.s64 %d1, %in, %d1; ld.global.u32 DST, [%d1+FEW00];\n",
	"mov.u32 %s0, %ctaid.x; mad.lo.u32 DST, %s0, FEW, FEW;\n",
}

// begin declares registers and gives each a value: pointers somewhere around the middle of in.
func (l *long) begin() string {
	var b strings.Builder
	fmt.Fprintf(&b, `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)
{
.reg .b32 %%tx, %%g, %%n, %%k, %%lane, %%s<6>, %%i<%d>, %%v<%d>; .reg .b64 %%in, %%out, %%mine, %%d<4>, %%a<%d>, %%w<%d>; .reg .pred %%p<%d>, %%q;
ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out]; ld.param.u32 %%n, [n];
mov.u32 %%tx, %%tid.x; mov.u32 %%lane, %%laneid; mov.u32 %%s0, %%tid.y; mov.u32 %%s1, %%ntid.x; mad.lo.u32 %%g, %%s0, %%s1, %%tx;
mov.u32 %%s0, %%tid.z; mov.u32 %%s2, %%ntid.y; mul.lo.u32 %%s0, %%s0, %%s1; mad.lo.u32 %%g, %%s0, %%s2, %%g;
mov.u32 %%s0, %%ctaid.x; mov.u32 %%s1, %%ctaid.y; mad.lo.u32 %%s0, %%s1, %d, %%s0; mad.lo.u32 %%g, %%s0, %d, %%g;
mul.wide.u32 %%d0, %%g, %d; add.s64 %%mine, %%out, %%d0;
`, longBits, l.words, l.ptrs+1, l.wides+1, longPreds, gridX, threads, longOwn)
	for i := range l.words {
		code := longFirst[l.IntN(l.kinds)]
		b.WriteString(strings.NewReplacer("DST", fmt.Sprintf("%%v%d", i), "ODD", fmt.Sprint(l.Uint32()|1), "ANY", fmt.Sprint(l.Uint32()), "FEW", fmt.Sprint(l.IntN(33))).Replace(code))
	}
	for i := range longBits {
		fmt.Fprintf(&b, "mad.lo.u32 %%i%d, %s, %d, %d; and.b32 %%i%d, %%i%d, 4095;\n", i, pick(l.Rand, "%tx", "%tx", "%g", "%lane"), 1+l.IntN(3), l.IntN(9), i, i)
	}
	for i := range l.ptrs {
		b.WriteString(l.point(fmt.Sprintf("%%a%d", i), "%in", 4095, 8))
	}
	for i := range l.wides {
		fmt.Fprintf(&b, "mul.wide.u32 %%w%d, %s, %s;\n", i, l.word(), l.word())
	}
	for i := range longPreds {
		fmt.Fprintf(&b, "setp.lt.s32 %%p%d, %s, %s;\n", i, l.word(), l.word())
	}
	return b.String()
}

// end writes every register but pointers, which it uses.
func (l *long) end() string {
	var b strings.Builder
	at := 0
	put := func(typ, reg string, bytes int) {
		fmt.Fprintf(&b, "st.global.%s [%%mine+%d], %s;\n", typ, at, reg)
		at += bytes
	}
	for i := range l.wides {
		put("u64", fmt.Sprintf("%%w%d", i), 8)
	}
	for i := range l.words {
		put("u32", fmt.Sprintf("%%v%d", i), 4)
	}
	for i := range l.ptrs {
		fmt.Fprintf(&b, "ld.global.u32 %%s0, [%%a%d];\n", i)
		put("u32", "%s0", 4)
	}
	for i := range longBits {
		put("u32", fmt.Sprintf("%%i%d", i), 4)
	}
	for i := range longPreds {
		fmt.Fprintf(&b, "selp.u32 %%s0, 1, 0, %%p%d;\n", i)
		put("u32", "%s0", 4)
	}
	b.WriteString("DONE:\nret;\n}\n")
	return b.String()
}

func (l *long) word() string { return fmt.Sprintf("%%v%d", l.IntN(l.words)) }
func (l *long) wide() string { return fmt.Sprintf("%%w%d", l.IntN(l.wides)) }
func (l *long) pred() string { return fmt.Sprintf("%%p%d", l.IntN(longPreds)) }

// block draws statements of at most so many instructions.
func (l *long) block(most int) (nodes []*Node) {
	for stop := max(l.left-most, 0); l.left > stop; {
		nodes = append(nodes, l.statement())
	}
	return nodes
}

// statement draws one, of one to nine instructions.
func (l *long) statement() *Node {
	text := ""
	switch k := l.IntN(40); {
	case k == 0 && l.depth < 2:
		return l.branch()
	case k < 3:
		text = l.load()
	case k < 5:
		text = l.store()
	case k < 6 && l.ptrs > 0:
		text = l.pointer()
	case k < 8:
		text = fmt.Sprintf("setp.%s.%s %s, %s, %s;\n", pick(l.Rand, "lt", "le", "gt", "ge", "eq", "ne"), pick(l.Rand, "s32", "u32"), l.pred(), l.word(), l.word())
	case k < 10:
		text = l.swap()
	case k < 13:
		text = l.permute()
	case k < 26 && l.wides > 0:
		text = l.wideWork()
	default:
		text = l.wordWork()
	}
	l.left -= strings.Count(text, ";")
	return &Node{Before: text}
}

func (l *long) guard() string {
	if l.IntN(12) != 0 {
		return ""
	}
	return "@" + pick(l.Rand, "", "!") + l.pred() + " "
}

// swap exchanges bits of one or two registers, as permutations do.
func (l *long) swap() string {
	k, m, x, y := 1+l.IntN(16), l.Uint32(), l.word(), l.word()
	switch l.IntN(3) {
	case 0:
		return fmt.Sprintf("shr.u32 %%s0, %[1]s, %[3]d; xor.b32 %%s0, %%s0, %[2]s; and.b32 %%s0, %%s0, %[4]d; xor.b32 %[2]s, %[2]s, %%s0; shl.b32 %%s0, %%s0, %[3]d; xor.b32 %[1]s, %[1]s, %%s0;\n", x, y, k, m)
	case 1:
		return fmt.Sprintf("and.b32 %%s0, %[1]s, %[4]d; shl.b32 %%s0, %%s0, %[3]d; shr.u32 %%s1, %[1]s, %[3]d; and.b32 %%s1, %%s1, %[4]d; or.b32 %[2]s, %%s0, %%s1;\n", x, y, k, m)
	}
	return fmt.Sprintf("shr.u32 %%s0, %[1]s, %[3]d; and.b32 %%s0, %%s0, 1; shl.b32 %%s0, %%s0, %[4]d; or.b32 %[2]s, %[2]s, %%s0;\n", x, y, l.IntN(32), l.IntN(32))
}

// permute moves bits of registers of twelve bits.
func (l *long) permute() string {
	x, y, d, k := l.IntN(longBits), l.IntN(longBits), l.IntN(longBits), 1+l.IntN(11)
	m := l.IntN(4096)
	switch l.IntN(4) {
	case 0:
		return fmt.Sprintf("shr.u32 %%s0, %%i%[1]d, %[2]d; and.b32 %%s0, %%s0, 1; shl.b32 %%s0, %%s0, %[3]d; or.b32 %%i%[4]d, %%i%[5]d, %%s0;\n", x, k, l.IntN(12), d, y)
	case 1:
		return fmt.Sprintf("and.b32 %%s0, %%i%[1]d, %[2]d; shl.b32 %%s0, %%s0, %[3]d; shr.u32 %%s1, %%i%[1]d, %[3]d; or.b32 %%s0, %%s0, %%s1; and.b32 %%i%[4]d, %%s0, 4095;\n", x, m, k, d)
	case 2:
		return fmt.Sprintf("%s%s %%i%d, %%i%d, %s;\n", l.guard(), pick(l.Rand, "xor.b32", "and.b32", "or.b32"), d, x, pick(l.Rand, fmt.Sprint(m), fmt.Sprintf("%%i%d", y)))
	}
	return fmt.Sprintf("brev.b32 %%s0, %%i%d; shr.u32 %%i%d, %%s0, 20;\n", x, d)
}

// wordWork draws arithmetic on 32 bits.
func (l *long) wordWork() string {
	d, a, b, c := l.word(), l.word(), l.word(), l.word()
	if l.IntN(4) == 0 {
		b = fmt.Sprint(pick(l.Rand, 0, 1, 5, 31, 255, 0x55555555, 0x0f0f0f0f))
	}
	g := l.guard()
	switch l.IntN(9) {
	case 0:
		return fmt.Sprintf("%slop3.b32 %s, %s, %s, %s, %d;\n", g, d, a, b, c, l.IntN(256))
	case 1:
		return fmt.Sprintf("%s%s %s, %s, %s, %s;\n", g, pick(l.Rand, "mad.lo.u32", "prmt.b32", "shf.l.wrap.b32", "shf.r.wrap.b32", "mad.hi.u32"), d, a, c, b)
	case 2:
		return fmt.Sprintf("%s%s %s, %s;\n", g, pick(l.Rand, "popc.b32", "brev.b32", "clz.b32", "not.b32", "neg.s32"), d, a)
	case 3:
		return fmt.Sprintf("%sbfe.u32 %s, %s, %d, %d;\n", g, d, a, l.IntN(32), 1+l.IntN(12))
	case 4:
		return fmt.Sprintf("%sselp.b32 %s, %s, %s, %s;\n", g, d, a, b, l.pred())
	case 5:
		return fmt.Sprintf("add.cc.u32 %s, %s, %s;\naddc.u32 %s, %s, %s;\n", d, a, b, l.word(), c, a)
	}
	return fmt.Sprintf("%s%s %s, %s, %s;\n", g, pick(l.Rand, "add.u32", "sub.u32", "xor.b32", "and.b32", "or.b32", "mul.lo.u32", "mul.hi.u32", "shl.b32", "shr.u32", "shr.s32", "min.u32", "max.s32"), d, a, b)
}

// wideWork draws arithmetic on 64 bits.
func (l *long) wideWork() string {
	d, a, b, c := l.wide(), l.wide(), l.wide(), l.wide()
	g := l.guard()
	switch l.IntN(10) {
	case 0:
		return fmt.Sprintf("%s%s %s, %s, %s, %s;\n", g, pick(l.Rand, "mad.lo.u64", "mad.hi.u64"), d, a, b, c)
	case 1:
		return fmt.Sprintf("%smad.wide.u32 %s, %s, %s, %s;\n", g, d, l.word(), l.word(), a)
	case 2:
		return fmt.Sprintf("%s%s %s, %s, %s;\n", g, pick(l.Rand, "mul.hi.u64", "mul.lo.u64"), d, a, b)
	case 3:
		return fmt.Sprintf("%s%s %s, %s, %d;\n", g, pick(l.Rand, "shl.b64", "shr.u64", "shr.s64"), d, a, l.IntN(70))
	case 4:
		k := 1 + l.IntN(63)
		return fmt.Sprintf("shl.b64 %%d0, %[1]s, %[2]d; shr.u64 %%d1, %[1]s, %[3]d; or.b64 %[4]s, %%d0, %%d1;\n", a, k, 64-k, d)
	case 5:
		return fmt.Sprintf("add.cc.u64 %s, %s, %s;\naddc.cc.u64 %s, %s, %s;\naddc.u64 %s, %s, 0;\n", d, a, b, l.wide(), c, a, l.wide(), l.wide())
	case 6:
		return fmt.Sprintf("%scvt.u64.%s %s, %s;\n", g, pick(l.Rand, "u32", "s32"), d, l.word())
	case 7:
		return fmt.Sprintf("mov.b64 {%s, %%s0}, %s;\nmov.b64 %s, {%%s0, %s};\n", l.word(), a, d, l.word())
	case 8:
		return fmt.Sprintf("setp.%s.u64 %%q, %s, %s;\nselp.b64 %s, %s, %s, %%q;\n", pick(l.Rand, "lt", "ge", "eq"), a, b, d, a, c)
	}
	return fmt.Sprintf("%s%s %s, %s, %s;\n", g, pick(l.Rand, "add.u64", "sub.s64", "xor.b64", "and.b64", "or.b64"), d, a, b)
}

// index puts a number of at most mask into a register %s.
func (l *long) index(mask int) (code, reg string) {
	reg = fmt.Sprintf("%%s%d", 2+l.IntN(4))
	switch l.IntN(7) {
	case 0:
		return "", "%tx"
	case 1, 2:
		if mask == 4095 {
			return "", fmt.Sprintf("%%i%d", l.IntN(longBits))
		}
		return fmt.Sprintf("and.b32 %s, %%i%d, %d;\n", reg, l.IntN(longBits), mask), reg
	case 3:
		return fmt.Sprintf("shr.u32 %s, %s, %d;\n", reg, l.word(), 33-bitLen(mask)), reg
	case 4:
		return fmt.Sprintf("mad.lo.u32 %[1]s, %%tx, %[2]d, %[3]d; and.b32 %[1]s, %[1]s, %[4]d;\n", reg, 1+l.IntN(9), l.IntN(99), mask), reg
	}
	return fmt.Sprintf("and.b32 %s, %s, %d;\n", reg, l.word(), mask), reg
}

func bitLen(mask int) (n int) {
	for ; mask > 0; mask >>= 1 {
		n++
	}
	return n + 1
}

// point makes a register base + index·bytes.
func (l *long) point(reg, base string, mask, bytes int) string {
	code, index := l.index(mask)
	switch l.IntN(5) {
	case 0:
		return code + fmt.Sprintf("mul.wide.u32 %%d1, %s, %d; add.s64 %s, %s, %%d1;\n", index, bytes, reg, base)
	case 1:
		return code + fmt.Sprintf("mul.wide.s32 %%d1, %s, %d; add.s64 %s, %%d1, %s;\n", index, bytes, reg, base)
	case 2:
		return code + fmt.Sprintf("cvt.u64.u32 %%d1, %s; shl.b64 %%d1, %%d1, %d; add.s64 %s, %s, %%d1;\n", index, bitLen(bytes)-2, reg, base)
	case 3:
		return code + fmt.Sprintf("shl.b32 %%s1, %s, %d; cvt.u64.u32 %%d1, %%s1; add.u64 %s, %s, %%d1;\n", index, bitLen(bytes)-2, reg, base)
	}
	return code + fmt.Sprintf("mad.wide.%s %s, %s, %d, %s;\n", pick(l.Rand, "u32", "s32"), reg, index, bytes, base)
}

// pointer moves a pointer, or gives it another place.
func (l *long) pointer() string {
	reg := fmt.Sprintf("%%a%d", l.IntN(l.ptrs))
	if l.IntN(2) == 0 {
		return fmt.Sprintf("%sadd.s64 %s, %s, %d;\n", l.guard(), reg, reg, 8*(l.IntN(9)-4))
	}
	return l.point(reg, "%in", 4095, 8)
}

// longTypes are types of accesses to a register.
var longTypes = []struct {
	typ   string
	bytes int
	wide  bool
}{{"u32", 4, false}, {"u32", 4, false}, {"u32", 4, false}, {"u64", 8, true}, {"u64", 8, true}, {"u8", 1, false}, {"u16", 2, false}}

// access draws a type of an access with its register.
func (l *long) access() (typ, reg string, bytes int) {
	t := pick(l.Rand, longTypes...)
	if t.wide && l.wides > 0 {
		return t.typ, l.wide(), t.bytes
	}
	if t.wide {
		t = longTypes[0]
	}
	return t.typ, l.word(), t.bytes
}

// load reads from in, by a pointer that lives or by one for this access.
func (l *long) load() string {
	typ, reg, bytes := l.access()
	if l.ptrs > 0 && l.IntN(2) == 0 {
		return fmt.Sprintf("%sld.global.%s %s, [%%a%d+%d];\n", l.guard(), typ, reg, l.IntN(l.ptrs), 8*(l.IntN(9)-4))
	}
	to := fmt.Sprintf("%%d%d", 2+l.IntN(2))
	code := l.point(to, "%in", pick(l.Rand, 63, 255, 4095), bytes)
	if l.wild && l.IntN(4) == 0 {
		code += fmt.Sprintf("add.s64 %s, %s, %d;\n", to, to, inBytes/2-bytes*l.IntN(4096))
	}
	return code + fmt.Sprintf("%sld.global%s.%s %s, [%s+%d];\n", l.guard(), pick(l.Rand, "", ".nc"), typ, reg, to, bytes*(l.IntN(9)-4))
}

// store writes to an area of out of its own.
func (l *long) store() string {
	if l.areas == outAreas {
		return l.wordWork()
	}
	typ, reg, bytes := l.access()
	to := fmt.Sprintf("%%d%d", 2+l.IntN(2))
	code := l.point(to, "%out", pick(l.Rand, 2047, 4095), bytes)
	at := l.k.area(l.areas)
	l.areas++
	return code + fmt.Sprintf("%sst.global.%s [%s+%d], %s;\n", l.guard(), typ, to, at+bytes*l.IntN(4), reg)
}

// branch draws a branch round a few statements or many, mostly one where lanes part.
func (l *long) branch() *Node {
	l.names++
	l.depth++
	defer func() { l.depth-- }()
	cond := fmt.Sprintf("setp.lt.s32 %%q, %s, %s;\n", l.word(), l.word())
	switch l.IntN(4) {
	case 0:
		cond = fmt.Sprintf("and.b32 %%s0, %%tx, %d; setp.ne.u32 %%q, %%s0, 0;\n", 1<<l.IntN(5))
	case 1:
		cond = fmt.Sprintf("setp.gt.u32 %%q, %%n, %d;\n", turns-1+l.IntN(2))
	}
	n := &Node{Before: fmt.Sprintf("%s@%s%%q bra ELSE%d;\n", cond, pick(l.Rand, "", "!"), l.names), Between: fmt.Sprintf("ELSE%d:\n", l.names)}
	other := l.IntN(3) == 0
	if l.IntN(4) == 0 {
		other = true
		n.Before = cond + table(l.Rand, pick(l.Rand, "%n", "%tx", l.word()), "%s0", l.names)
	}
	if other {
		n.Between, n.After = fmt.Sprintf("bra END%[1]d;\nELSE%[1]d:\n", l.names), fmt.Sprintf("END%d:\n", l.names)
	}
	l.left -= 3
	n.Body = l.block(pick(l.Rand, 2, 10, 60))
	if other {
		n.Other = l.block(pick(l.Rand, 2, 10, 60))
	}
	return n
}

// turns draws a loop of a few turns round a part of the kernel. Pointers move in it, not far.
func (l *long) turns() *Node {
	count := fmt.Sprint(2 + l.IntN(3))
	before := "mov.u32 %k, 0;\nLOOP:\n"
	if l.IntN(2) == 0 {
		count = "%s5"
	}
	n := &Node{Before: before, Body: l.block(l.left / 2)}
	n.After = "add.u32 %k, %k, 1;\nand.b32 %s5, %tx, 3; add.u32 %s5, %s5, 1;\nsetp.lt.u32 %q, %k, " + count + ";\n@%q bra LOOP;\n"
	return n
}
