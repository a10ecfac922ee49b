package x86

import (
	"flag"
	"hash/crc32"
	"strings"
	"testing"
)

var full = flag.Bool("full", false, "all memory operands for every form, and half a million random instructions")

// testCase is an instruction, how it was assembled.
type testCase struct {
	text string
	code string
	form *form
	in   inst
	d    deco
}

// afterCode is where the test's label stands: so far behind the instruction.
const afterCode = 64

// assemble returns in as text and bytes, with the label at afterCode; nil if no form says it.
func assemble(t testing.TB, a *Asm, in inst, d deco) *testCase {
	t.Helper()
	a.Reset()
	l := a.NewLabel()
	if in.m.Rip != 0 {
		in.m.Rip = l
	}
	a.deco = d
	list := a.List()
	chosen := chosenForm(&in, &d)
	a.emit(&in)
	if a.err != nil {
		return nil
	}
	n := a.Len()
	a.labels[l-1] = int32(n + afterCode)
	code, err := a.Finish()
	if err != nil {
		t.Fatalf("%v", err)
	}
	text := strings.ReplaceAll(list.Lines[0].Text, l.String(), "64")
	return &testCase{text, string(code[:n]), chosen, in, d}
}

// chosenForm is the first form that says in.
func chosenForm(in *inst, d *deco) *form {
	forms := in.op.forms()
	for i := range forms {
		if forms[i].encoding(in, d) != encNone {
			return &forms[i]
		}
	}
	return nil
}

// allCases returns the cases of every form, each text once.
func allCases(t testing.TB) []*testCase {
	if len(cached) == 0 {
		a := New(nil)
		seen := map[string]bool{}
		for op := range ops {
			for i := range Op(op).forms() {
				for _, v := range Op(op).forms()[i].variants(Op(op)) {
					if c := assemble(t, a, v.in, v.d); c != nil && !seen[c.text] {
						seen[c.text] = true
						cached = append(cached, c)
					}
				}
			}
		}
	}
	return cached
}

// cached is what allCases made.
var cached []*testCase

// variant is an instruction to try; forms that cannot say it refuse it.
type variant struct {
	in inst
	d  deco
}

// registerSets are the numbers that operands get in turn: low, below 16, all.
var registerSets = [][4]uint8{{3, 6, 1, 7}, {9, 14, 12, 10}, {1, 13, 15, 8}, {17, 30, 4, 21}, {2, 8, 27, 11}, {31, 23, 18, 16}}

// variants returns instructions that f may say: each size or width, register set, kind of memory
// operand, mask, broadcast and rounding. Which of them it really says is the encoder's business,
// and that each of its encodings is covered the test's.
func (f *form) variants(op Op) (all []variant) {
	for w := range uint8(4) {
		for set := range registerSets {
			if f.reg != noShape {
				all = append(all, f.fill(op, w, f.reg, set))
			}
			if f.mem != noShape && set%3 == 0 {
				all = append(all, f.fill(op, w, f.mem, set))
			}
		}
		all = append(all, f.conditions(op, w)...)
		all = append(all, f.decorations(op, w)...)
		if f.mem != noShape {
			all = append(all, f.addresses(op, w)...)
		}
	}
	return all
}

// fill makes an instruction of the shape with registers of a set.
func (f *form) fill(op Op, w uint8, s shape, set int) variant {
	in := inst{op: op, w: w, shape: s}
	regs := registerSets[set%len(registerSets)]
	for i := range f.operand {
		switch kind := s.at(i); {
		case f.operand[i].slot == 'C':
			in.n[i] = uint8(RCX)
		case f.operand[i].slot == 'A':
		case kind == kReg:
			in.n[i] = regs[i] & 15
		case kind == kK:
			in.n[i] = regs[i] & 7
		case kind == kVec:
			in.n[i] = regs[i]
		case kind == kMem:
			in.m = At(RBX, 0)
			if f.operand[i].index != 0 {
				in.m = AtVec(RBX, Vec(regs[3]), 4, 0)
			}
		}
	}
	in.imm = f.immediates(w)[set%4]
	return variant{in: in}
}

// immediates are four values that f's immediate can have at w.
func (f *form) immediates(w uint8) [4]int64 {
	switch class := f.imm; {
	case class == '1':
		return [4]int64{1, 1, 1, 1}
	case class == 'j':
		return [4]int64{-128, 127, -1, 5}
	case class == '8':
		return [4]int64{1 << 40, -1 << 63, 1<<63 - 1, 0x123456789abcdef}
	case class == 'z' && w >= uint8(S32):
		return [4]int64{-1 << 31, 1<<31 - 1, 128, -129}
	case class == 'z' && w == uint8(S16):
		return [4]int64{-1 << 15, 1<<15 - 1, 128, -129}
	case class == 'z', class == 'b':
		return [4]int64{127, 2, 5, 100}
	}
	return [4]int64{}
}

func (f *form) conditions(op Op, w uint8) (all []variant) {
	if f.flags&hasCond == 0 {
		return nil
	}
	for c := range Cond(16) {
		v := f.fill(op, w, f.reg, int(c))
		v.in.cond = c
		all = append(all, v)
	}
	return all
}

// decorations are masks, zeroing, roundings, LOCK on registers and memory.
func (f *form) decorations(op Op, w uint8) (all []variant) {
	decos := []deco{{k: K1}, {k: K7, zero: true}, {lock: true}}
	for r := RN; r <= SAE; r++ {
		decos = append(decos, deco{round: r})
	}
	decos = append(decos, deco{round: RU, k: K3, zero: true}, deco{round: SAE, k: K3})
	for i, d := range decos {
		for _, s := range []shape{f.reg, f.mem} {
			if s != noShape {
				v := f.fill(op, w, s, i)
				v.d = d
				all = append(all, v)
			}
		}
	}
	return all
}

// addresses are kinds of memory operands, with and without broadcast.
func (f *form) addresses(op Op, w uint8) (all []variant) {
	v := f.fill(op, w, f.mem, 0)
	n := f.memory().unit(&v.in)
	if f.memory().index != 0 {
		for i, m := range []Mem{AtVec(R13, 9, 8, 127*n), AtVec(RSP, 3, 1, 128*n), AtVec(NoReg, 12, 4, -8), AtVec(RBP, 21, 2, -128*n), AtVec(RAX, 30, 1, -129*n)} {
			v := f.fill(op, w, f.mem, i&1)
			v.in.m, v.d.k = m, K2
			all = append(all, v)
			v.d.k = 0
			all = append(all, v)
		}
		return all
	}
	places := []Mem{ // the first five always, of the others some unless -full
		At(RSI, 127*n), At(RDI, 128*n), At(R14, -129*n), AtIndex(R9, R10, 2, -64), AtLabel(1),
		At(RBP, 0), At(R13, 0), At(RSP, 8), At(R12, 0), At(RBX, 127), At(R9, 128), At(RBX, -128), At(RBX, -129), At(RCX, 1), At(RBX, 1<<31-1),
		At(R14, -128*n), At(RAX, 8*n), At(NoReg, 4096), AtLabel(1).Plus(8),
		AtIndex(RBX, RCX, 8, 64), AtIndex(RBP, R12, 1, 0), AtIndex(R13, RBP, 4, 7*n), AtIndex(NoReg, RDX, 4, 1000), AtIndex(RSP, RSI, 2, 128*n),
	}
	turn := int(crc32.ChecksumIEEE([]byte(op.String())) % 9) // does not change when instructions are added
	for i, m := range places {
		if !*full && i > 4 && (i+turn+int(w))%9 != 0 {
			continue
		}
		for _, set := range []int{i % 3, 3 + i&1*2} { // for VEX and for EVEX
			v := f.fill(op, w, f.mem, set)
			v.in.m = m
			all = append(all, v)
		}
	}
	b := int32(f.memory().bcast)
	for i, m := range []Mem{At(RBX, 127*b), AtIndex(R9, R10, 2, -129*b), At(R12, -128*b), At(RBX, 128*b), AtLabel(1)} {
		v := f.fill(op, w, f.mem, i)
		v.in.m = m.Bcast()
		all = append(all, v)
		if *full || i < 2 {
			v.d = deco{k: K4, zero: i&1 != 0}
			all = append(all, v)
		}
	}
	return all
}
