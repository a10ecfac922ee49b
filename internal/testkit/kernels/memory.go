package kernels

// Loads, stores, atomics and what passes between lanes.

import (
	"fmt"
	"strings"
)

// access is a type of an access with its registers: of a vector several.
type access struct {
	typ   string
	bytes int // of all elements
	regs  []string
}

var accessTypes = []struct {
	typ   string
	bytes int
	kinds string // a register for each element
}{
	{"u32", 4, "v"}, {"u32", 4, "v"}, {"f32", 4, "f"}, {"f32", 4, "f"}, {"u8", 1, "v"}, {"s8", 1, "v"}, {"u16", 2, "v"}, {"s16", 2, "v"}, {"u64", 8, "w"}, {"f64", 8, "e"},
	{"v2.u32", 8, "vv"}, {"v4.u32", 16, "vvvv"}, {"v2.f32", 8, "ff"}, {"v4.f32", 16, "ffff"}, {"v2.u64", 16, "ww"}, {"v4.u8", 4, "vvvv"}, {"v2.u16", 4, "vv"},
}

// access draws one of at most so many bytes; the registers of a vector are different ones.
func (w *writer) access(limit int) (a access) {
	for {
		t := pick(w.r, accessTypes...)
		if t.bytes > limit {
			continue
		}
		a.typ, a.bytes = t.typ, t.bytes
		for len(a.regs) < len(t.kinds) {
			reg := w.reg(t.kinds[:1])
			if !strings.Contains(strings.Join(a.regs, " ")+" ", reg+" ") {
				a.regs = append(a.regs, reg)
			}
		}
		return a
	}
}

// operand is what is loaded or stored.
func (a *access) operand() string {
	if len(a.regs) == 1 {
		return a.regs[0]
	}
	return "{" + strings.Join(a.regs, ", ") + "}"
}

// stored is the type of a store: s8 and s16 are loads' alone.
func (a *access) stored() string { return strings.ReplaceAll(a.typ, "s", "u") }

// address puts base + index·bytes into %dN, in one of the ways that compilers have.
func (w *writer) address(base, index string, bytes int) (code, reg string) {
	d := fmt.Sprintf("%%d%d", 1+w.r.IntN(2))
	switch w.r.IntN(4) {
	case 0:
		return fmt.Sprintf("mul.wide.s32 %s, %s, %d; add.s64 %s, %s, %s;\n", d, index, bytes, d, base, d), d
	case 1:
		return fmt.Sprintf("cvt.s64.s32 %s, %s; mul.lo.s64 %s, %s, %d; add.s64 %s, %s, %s;\n", d, index, d, d, bytes, d, d, base), d
	case 2:
		return fmt.Sprintf("mad.wide.s32 %s, %s, %d, %s;\n", d, index, bytes, base), d
	}
	return fmt.Sprintf("mul.lo.s32 %%s0, %s, %d; cvt.s64.s32 %s, %%s0; add.s64 %s, %s, %s;\n", index, bytes, d, d, base, d), d
}

// load reads from in: at an index, at a wild one, or along a pointer that moves.
func (w *writer) load() *Node {
	if len(w.walks) > 0 && w.r.IntN(2) == 0 {
		p := pick(w.r, w.walks...)
		a := w.access(p.align)
		return w.line("%sld.global%s.%s %s, [%%a%d+%d];", w.guard(), w.cached(), a.typ, a.operand(), p.reg, a.bytes*(w.r.IntN(9)-4))
	}
	a := w.access(16)
	index, code := "", ""
	if w.r.IntN(5) == 0 {
		index, code = "%s1", fmt.Sprintf("and.b32 %%s1, %s, %d;\n", w.reg("v"), pick(w.r, 7, 255, 4095))
	} else {
		s := span{}
		for index, s = w.known(); max(s.hi, -s.lo)*int64(a.bytes) > inBytes/2-1024; index, s = w.known() {
		}
	}
	to, reg := w.address("%in", index, a.bytes)
	return &Node{Before: code + to + fmt.Sprintf("%sld.global%s.%s %s, [%s+%d];\n", w.guard(), w.cached(), a.typ, a.operand(), reg, a.bytes*(w.r.IntN(9)-4))}
}

func (w *writer) cached() string {
	if w.r.IntN(4) == 0 {
		return ".nc"
	}
	return ""
}

// walk starts a pointer that moves by a constant each turn of a loop; it may be none.
func (w *writer) walk(limit int64) string {
	if len(w.walks) == pointers || w.r.IntN(3) == 0 {
		return ""
	}
	name, s := w.known()
	align := pick(w.r, 4, 4, 8, 16)
	stride := int64(align * pick(w.r, 1, 1, 2, 3, 8, 33, 64, -1, -2))
	if max(s.hi, -s.lo)*int64(align)+max(stride, -stride)*limit > inBytes/2-1024 {
		return ""
	}
	p := walk{len(w.walks), stride, align}
	w.walks = append(w.walks[:len(w.walks):len(w.walks)], p)
	code, reg := w.address("%in", name, align)
	return code + fmt.Sprintf("mov.u64 %%a%d, %s;\n", p.reg, reg)
}

// step moves the pointers of a loop.
func (w *writer) step(outer int) (code string) {
	for _, p := range w.walks[outer:] {
		code += fmt.Sprintf("add.s64 %%a%d, %%a%d, %d;\n", p.reg, p.reg, p.stride)
	}
	return code
}

// store writes to an area of out of its own. Where it may come several times, each thread has its place.
func (w *writer) store() *Node {
	if w.areas == outAreas {
		return w.compute()
	}
	a := w.access(16)
	index, code := "%g", ""
	switch {
	case len(w.loop) > 0:
	case w.r.IntN(5) == 0:
		index, code = "%s1", fmt.Sprintf("and.b32 %%s1, %s, 4095;\n", w.reg("v"))
	case w.r.IntN(3) != 0:
		s := span{}
		for index, s = w.known(); s.lo < 0 || s.hi*int64(a.bytes)+64 > outArea; index, s = w.known() {
		}
	}
	area := w.areas
	w.areas++
	to, reg := w.address("%out", index, a.bytes)
	return &Node{Before: code + to + fmt.Sprintf("%sst.global.%s [%s+%d], %s;\n", w.guard(), a.stored(), reg, w.k.area(area), a.operand())}
}

// local reads or writes the thread's own words.
func (w *writer) local() *Node {
	a := w.access(4)
	if len(a.regs) > 1 || a.bytes < 4 {
		a = access{"u32", 4, []string{w.reg("v")}}
	}
	at, code := fmt.Sprintf("[%%own+%d]", 4*w.r.IntN(localWord)), ""
	if w.r.IntN(2) == 0 {
		name, _ := w.known()
		code, at = fmt.Sprintf("and.b32 %%s1, %s, %d; mad.lo.u32 %%s1, %%s1, 4, %%own;\n", name, localWord-1), "[%s1]"
	}
	if w.r.IntN(2) == 0 {
		return &Node{Before: code + fmt.Sprintf("%sst.local.%s %s, %s;\n", w.guard(), a.typ, at, a.operand())}
	}
	return &Node{Before: code + fmt.Sprintf("%sld.local.%s %s, %s;\n", w.guard(), a.typ, a.operand(), at)}
}

// tileIndex is an index of a tile of so many elements.
func (w *writer) tileIndex(elements int) (index, code string) {
	for range 9 {
		name, s := w.known()
		if s.lo >= 0 && s.hi < int64(elements) {
			return name, ""
		}
	}
	name, _ := w.known()
	return "%s1", fmt.Sprintf("and.b32 %%s1, %s, %d;\n", name, elements-1)
}

// exchange passes values through shared memory: each thread writes its place, then reads any.
func (w *writer) exchange() *Node {
	a := w.access(16)
	mine := "%id"
	code := ""
	if w.r.IntN(3) == 0 && a.bytes <= 8 { // rows with a gap
		mine, code = "%s1", "shr.u32 %s1, %id, 4; add.u32 %s1, %s1, %id;\n"
	}
	code += fmt.Sprintf("mad.lo.u32 %%s0, %s, %d, %%tile;\n%sst.shared.%s [%%s0], %s;\nbar.sync 0;\n", mine, a.bytes, w.guard(), a.stored(), a.operand())
	n := &Node{Before: code, After: "bar.sync 0;\n"}
	for range 1 + w.r.IntN(4) {
		b := w.access(16)
		index, mask := w.tileIndex(tileBytes / 2 / b.bytes)
		n.Body = append(n.Body, &Node{Before: mask + fmt.Sprintf("mad.lo.u32 %%s0, %s, %d, %%tile;\n%sld.shared.%s %s, [%%s0+%d];\n", index, b.bytes, w.guard(), b.typ, b.operand(), b.bytes*w.r.IntN(4))})
	}
	if w.r.IntN(4) == 0 {
		n.Body = append(n.Body, w.sharedAtomic())
	}
	return n
}

// sharedAtomic counts in the upper half of the tile, which nothing else reads without a barrier between.
func (w *writer) sharedAtomic() *Node {
	index, mask := w.tileIndex(64)
	op := pick(w.r, "add.u32", "max.s32", "min.u32", "or.b32", "xor.b32")
	return &Node{Before: mask + fmt.Sprintf("mad.lo.u32 %%s0, %s, 4, %%tile;\n%sred.shared.%s [%%s0+%d], %s;\n", index, w.guard(), op, tileBytes*3/4, w.source())}
}

// atomic changes words of an area of out of its own.
func (w *writer) atomic() *Node {
	if w.areas == outAreas {
		return w.compute()
	}
	area := w.areas
	w.areas++
	name, _ := w.known()
	code := fmt.Sprintf("and.b32 %%s1, %s, %d;\n", name, pick(w.r, 0, 3, 63, 1023))
	to, reg := w.address("%out", "%s1", 4)
	op := pick(w.r, "add.u32", "max.s32", "min.u32", "or.b32", "and.b32", "xor.b32", "inc.u32", "exch.b32")
	if op != "exch.b32" && w.r.IntN(2) == 0 {
		return &Node{Before: code + to + fmt.Sprintf("%sred.global.%s [%s+%d], %s;\n", w.guard(), op, reg, w.k.area(area), w.source())}
	}
	return &Node{Before: code + to + fmt.Sprintf("%satom.global.%s %s, [%s+%d], %s;\n", w.guard(), op, w.reg("v"), reg, w.k.area(area), w.source())}
}

// across draws an operation in which all lanes of a warp take part.
func (w *writer) across() *Node {
	switch w.r.IntN(4) {
	case 0:
		return w.line("vote.sync.ballot.b32 %s, %s, -1;", w.reg("v"), w.reg("p"))
	case 1:
		return w.line("vote.sync.%s.pred %s, %s, -1;", pick(w.r, "any", "all", "uni"), w.reg("p"), w.reg("p"))
	case 2:
		return w.line("redux.sync.%s %s, %s, -1;", pick(w.r, "add.s32", "max.u32", "and.b32"), w.reg("v"), w.reg("v"))
	}
	lane := pick(w.r, fmt.Sprint(w.r.IntN(32)), w.reg("v"))
	return w.line("shfl.sync.%s.b32 %s|%s, %s, %s, %d, -1;", pick(w.r, "idx", "bfly", "up", "down"), w.reg("v"), w.reg("p"), w.reg("v"), lane, pick(w.r, 31, 0, 0x181f, 0x1c00))
}
