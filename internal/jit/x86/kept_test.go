package x86

import "testing"

// TestKept: a register is kept until an instruction may write it, or a label is bound.
func TestKept(t *testing.T) {
	m := At(RDI, 8)
	for _, c := range []struct {
		name string
		kept bool
		emit func(a *Asm)
	}{
		{"nothing", true, func(a *Asm) {}},
		{"others", true, func(a *Asm) {
			a.RM(MOV, S64, RAX, m)
			a.MR(MOV, S64, m, RCX)
			a.MR(ADD, S32, m, RCX)
			a.MI(SUB, S64, m, 1)
		}},
		{"read", true, func(a *Asm) { a.RR(MOV, S64, RAX, RCX); a.MovImm(RDX, 5); a.VM(VMOVUPS, W256, 0, At(RCX, 0)) }},
		{"vectors", true, func(a *Asm) { a.VVV(VPADDD, W256, 1, 1, 1) }},
		{"jump", true, func(a *Asm) { a.Jcc(E, a.NewLabel()) }},
		{"moved to", false, func(a *Asm) { a.RM(MOV, S32, RCX, m) }},
		{"immediate", false, func(a *Asm) { a.MovImm(RCX, 5) }},
		{"zero", false, func(a *Asm) { a.Zero(RCX) }},
		{"inc", false, func(a *Asm) { a.R(INC, S32, RCX) }},
		{"set", false, func(a *Asm) { a.Set(E, RCX) }},
		{"from a vector", false, func(a *Asm) { a.RV(VMOVD, W128, RCX, 3) }},
		{"from a mask", false, func(a *Asm) { a.RK(KMOVD, RCX, K1) }},
		{"high half", false, func(a *Asm) { a.RRM(MULX, S64, RAX, RCX, m) }},
		{"exchanged", false, func(a *Asm) { a.MR(XCHG, S32, m, RCX) }},
		{"old value", false, func(a *Asm) { a.MR(XADD, S32, m, RCX) }},
		{"product", false, func(a *Asm) { a.R(MUL, S64, RAX) }},
		{"label", false, func(a *Asm) { a.Bind(a.NewLabel()) }},
		{"call", false, func(a *Asm) { a.Call(a.NewLabel()) }},
	} {
		a := New(nil)
		a.Keep(RCX)
		if c.emit(a); a.Kept(RCX) != c.kept {
			t.Errorf("%s: kept: %v", c.name, !c.kept)
		}
	}
}
