package x86

import (
	"strings"
	"testing"
)

// TestCoverage: the cases of TestReference reach every form in each of its encodings and widths,
// with what its encoding allows: memory, masks, broadcasts, roundings.
func TestCoverage(t *testing.T) {
	reached := map[*form]map[trait]bool{}
	for _, c := range allCases(t) {
		if reached[c.form] == nil {
			reached[c.form] = map[trait]bool{}
		}
		for _, shown := range c.traits() {
			reached[c.form][shown] = true
		}
	}
	for op := range ops {
		for i := range Op(op).forms() {
			f := &Op(op).forms()[i]
			mirrored := i > 0 && Op(op).forms()[i-1].flags&hasMirror != 0
			for _, want := range f.traits() {
				if mirrored && want.what == "zeroing" { // the form before says it
					continue
				}
				if !reached[f][want] {
					t.Errorf("form %d of %v: no case has %v", i, Op(op), want)
				}
			}
		}
	}
}

// trait is something that a case can show, and which one: the width of an encoding, a rounding.
type trait struct {
	what string
	n    int
}

// encodings are the traits of encodings, each with its width.
var encodings = [...]string{encLegacy: "encoding legacy", encVEX: "encoding VEX", encEVEX: "encoding EVEX"}

// traits returns what a case shows of its form.
func (c *testCase) traits() []trait {
	e := c.form.encoding(&c.in, &c.d)
	all := []trait{{encodings[e], int(c.in.w)}, {"rounding", int(c.d.round)}, {"condition", int(c.in.cond)}}
	add := func(when bool, what string) {
		if when {
			all = append(all, trait{what: what})
		}
	}
	inMemory := c.in.shape == c.form.mem
	add(!inMemory, "registers")
	add(inMemory, "memory "+c.addressing())
	add(c.in.m.bcast, "broadcast")
	add(c.d.k != 0, "mask")
	add(c.d.zero, "zeroing")
	add(c.d.lock, "lock")
	add(c.in.high(), "register 16")
	return all
}

func (c *testCase) addressing() string {
	switch m := c.in.m; {
	case m.Rip != 0:
		return "at a label"
	case m.vsib:
		return "with a vector of indices"
	case m.indexed():
		return "with an index"
	case m.Disp == 0:
		return "plain"
	}
	return "with a displacement"
}

// traits returns what the cases of f must show.
func (f *form) traits() (all []trait) {
	add := func(when bool, n int, traits ...string) {
		for _, what := range traits {
			if when {
				all = append(all, trait{what, n})
			}
		}
	}
	vexGPR := f.flags&isVexGPR != 0
	for w := range 4 {
		add(f.sizes>>w&1 != 0 && !vexGPR, w, encodings[encLegacy])
		add(f.sizes>>w&1 != 0 && vexGPR || f.vex>>w&1 != 0, w, encodings[encVEX])
		add(f.evex>>w&1 != 0, w, encodings[encEVEX])
	}
	vsib := f.memory().index != 0
	add(f.reg != noShape, 0, "registers")
	add(f.mem != noShape && vsib, 0, "memory with a vector of indices")
	add(f.mem != noShape && !vsib, 0, "memory at a label", "memory with an index", "memory plain", "memory with a displacement")
	add(f.evex != 0 && f.hasVector(), 0, "register 16")
	maskable := f.evex != 0 && f.flags&noMask == 0
	add(maskable, 0, "mask")
	add(maskable && f.flags&mustMask == 0 && f.toVector(), 0, "zeroing")
	add(f.evex != 0 && f.memory().bcast != 0, 0, "broadcast")
	add(f.flags&hasLock != 0, 0, "lock")
	add(f.flags&hasSAE != 0, int(SAE), "rounding")
	for r := RN; r <= RZ; r++ {
		add(f.flags&hasRound != 0, int(r), "rounding")
	}
	for c := range 16 {
		add(f.flags&hasCond != 0, c, "condition")
	}
	return all
}

// toVector tells whether f's destination can be a vector register.
func (f *form) toVector() bool {
	return f.reg.at(0) == kVec || f.reg == noShape && f.mem.at(0) == kVec
}

func (f *form) hasVector() bool {
	for i := range 4 {
		if f.reg.at(i) == kVec || f.mem.at(i) == kVec {
			return true
		}
	}
	return false
}

// TestRefused: what a form does not have is refused with a reason, and nothing is emitted.
func TestRefused(t *testing.T) {
	vsib := AtVec(RAX, 2, 4, 0)
	tests := []struct {
		emit func(a *Asm)
		want string
	}{
		{func(a *Asm) { a.VVV(VPMULLW, W512+1, 1, 2, 3) }, "vpmullw: not at 1024 bits"},
		{func(a *Asm) { a.VVV(VADDSS, W256, 1, 2, 3) }, "vaddss: not at 256 bits"},
		{func(a *Asm) { a.VVV(VPERMD, W128, 1, 2, 3) }, "vpermd: not at 128 bits"},
		{func(a *Asm) { a.VVV(VPADDD, W256, 1, 2, 32) }, "a register number"},
		{func(a *Asm) { a.VVV(VPAND, W256, 1, 2, 16) }, "no EVEX form at this width"},
		{func(a *Asm) { a.VVVV(VBLENDVPS, W256, 1, 2, 3, 16) }, "no EVEX form"},
		{func(a *Asm) { a.RR(ADD, S64, RAX, NoReg) }, "a register number"},
		{func(a *Asm) { a.KK(KNOTW, 1, 8) }, "a register number"},
		{func(a *Asm) { a.VV(VPADDD, W256, 1, 2) }, "vpaddd takes no operands (vector, vector)"},
		{func(a *Asm) { a.VV(Op(60000), W256, 1, 2) }, "no instruction has the number 60000"},
		{func(a *Asm) { a.VV(0, W256, 1, 2) }, "no instruction has the number 0"},
		{func(a *Asm) { a.None(Op(60000)) }, "no instruction has the number 60000"},
		{func(a *Asm) { a.KK(Op(60000), 1, 2) }, "no instruction has the number 60000"},
		{func(a *Asm) { a.VVM(VPADDD, W256, 1, 2, vsib) }, "a vector of indices is for gathers"},
		{func(a *Asm) { a.Masked(K1).VM(VPGATHERDDK, W512, 1, At(RAX, 0)) }, "a vector of indices is for gathers"},
		{func(a *Asm) { a.VM(VPGATHERDDK, W512, 1, vsib) }, "a write mask must be given"},
		{func(a *Asm) { a.Zeroed(K1).VM(VPGATHERDDK, W512, 1, vsib) }, "is not allowed here"},
		{func(a *Asm) { a.Masked(K1).VM(VPGATHERDDK, W512, 2, vsib) }, "must be distinct"},
		{func(a *Asm) { a.VMV(VPGATHERDD, W256, 1, vsib, 1) }, "must be distinct"},
		{func(a *Asm) { a.VMV(VPGATHERDD, W256, 1, vsib, 2) }, "must be distinct"},
		{func(a *Asm) { a.Masked(K0).VVV(VPADDD, W512, 1, 2, 3) }, "a write mask is k1 to k7"},
		{func(a *Asm) { a.Zeroed(K1).MV(VMOVDQU32, W512, At(RAX, 0), 3) }, "is not allowed here"},
		{func(a *Asm) { a.Masked(K1).VR(VMOVD, W128, 1, RAX) }, "is not allowed here"},
		{func(a *Asm) { a.VVM(VPADDW, W512, 1, 2, At(RAX, 0).Bcast()) }, "is not allowed here"},
		{func(a *Asm) { a.Round(RU).VVV(VADDPS, W256, 1, 2, 3) }, "is not allowed here"},
		{func(a *Asm) { a.Round(RU).VVV(VMAXPS, W512, 1, 2, 3) }, "is not allowed here"},
		{func(a *Asm) { a.Round(SAE).VVV(VADDPS, W512, 1, 2, 3) }, "is not allowed here"},
		{func(a *Asm) { a.Round(RU).VVM(VADDPS, W512, 1, 2, At(RAX, 0)) }, "is not allowed here"},
		{func(a *Asm) { a.Lock().RR(ADD, S32, RAX, RCX) }, "is not allowed here"},
		{func(a *Asm) { a.Lock().MR(CMP, S32, At(RAX, 0), RCX) }, "is not allowed here"},
		{func(a *Asm) { a.Lock().VVV(VPADDD, W256, 1, 2, 3) }, "is not allowed here"},
		{func(a *Asm) { a.Masked(K1).RR(ADD, S32, RAX, RCX) }, "is not allowed here"},
		{func(a *Asm) { a.RM(ADD, S32, RAX, At(RCX, 0).Bcast()) }, "is not allowed here"},
		{func(a *Asm) { a.RR(ANDN, S16, RAX, RCX) }, "takes no operands"},
		{func(a *Asm) { a.RRR(ANDN, S16, RAX, RCX, RDX) }, "andn: not with 16 bits"},
		{func(a *Asm) { a.RI(ADD, S8, RAX, 256) }, "the immediate 256 is out of range"},
		{func(a *Asm) { a.RI(SHL, S32, RAX, -129) }, "the immediate -129 is out of range"},
		{func(a *Asm) { a.RI(ADD, S16, RCX, 1<<16) }, "the immediate 65536 is out of range"},
		{func(a *Asm) { a.RR(SHL, S32, RAX, RDX) }, "a register number"},
		{func(a *Asm) { a.RM(MOV, S64, RAX, AtIndex(RAX, RSP, 1, 0)) }, "rsp cannot be an index"},
		{func(a *Asm) { a.RM(MOV, S64, RAX, AtIndex(RAX, RCX, 3, 0)) }, "the scale must be"},
		{func(a *Asm) { a.RM(MOV, S64, RAX, AtIndex(RAX, 16, 1, 0)) }, "the index is no register"},
		{func(a *Asm) { a.RM(MOV, S64, RAX, At(16, 0)) }, "the base is no register"},
		{func(a *Asm) { a.Masked(K1).VM(VPGATHERDDK, W512, 1, AtVec(RAX, 32, 4, 0)) }, "the index is no register"},
		{func(a *Asm) { a.RM(MOV, S64, RAX, Mem{Base: RAX, Index: NoReg, Rip: a.NewLabel()}) }, "relative to a label has no base"},
	}
	for _, test := range tests {
		a := New(nil)
		test.emit(a)
		if err := a.Err(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("have %v, want … %s …", err, test.want)
		}
		if a.Len() != 0 && !strings.Contains(test.want, "k1 to k7") {
			t.Errorf("%s: emitted % x", test.want, a.Bytes())
		}
	}
}

// FuzzEmit: whatever the operands are, there is an instruction of at most 15 bytes or an error.
func FuzzEmit(f *testing.F) {
	f.Add(uint16(VPADDD), uint8(2), uint16(0x411), uint32(0x01020304), uint64(0x0102), int64(5))
	f.Add(uint16(ADD), uint8(3), uint16(0x52), uint32(1), uint64(0), int64(1<<31))
	f.Fuzz(func(t *testing.T, op uint16, w uint8, s uint16, regs uint32, more uint64, imm int64) {
		a := New(nil)
		l := a.NewLabel()
		a.Bind(l)
		in := inst{op: Op(op), w: w & 3, cond: Cond(more) & 15, shape: shape(s), imm: imm}
		for i := range 4 {
			in.n[i] = uint8(regs >> (8 * i))
		}
		in.m = Mem{Base: Reg(more >> 4), Index: Reg(more >> 12), Scale: uint8(more >> 20), Disp: int32(more >> 28),
			vsib: more>>60&1 != 0, bcast: more>>61&1 != 0, Rip: Label(more >> 62)}
		a.deco = deco{k: K(more>>8) & 7, zero: more>>11&1 != 0, lock: more>>16&1 != 0, round: Rounding(more>>17) % 6}
		a.List()
		a.emit(&in)
		if n := a.Len(); n > 15 || n == 0 && a.Err() == nil {
			t.Errorf("%d bytes, %v", n, a.Err())
		}
	})
}
