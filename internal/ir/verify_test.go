package ir

// This file breaks one invariant at a time and expects Verify to say so.

import (
	"strings"
	"testing"
)

const sound = `module "t" version 8.0 target sm_90
func f
 frame params 0 call 0 locals 0 shared 0
 reg %p pred
 reg %a b32
 reg %b b32
block A
  setp.ne.s32 %p, %a, %b @0 0
  @%p bra -> b2 @0 0
block B
  add.s32 %a, %a, %b @0 0
block C
  st.local.u32 [0], %a @0 0
  ret @0 0
end
`

func TestVerifyFindsDefects(t *testing.T) {
	for _, c := range []struct {
		want string
		harm func(f *Func)
	}{
		{"start at", func(f *Func) { f.Blocks[1].First++ }},
		{"in its middle", func(f *Func) { f.Insts[0] = f.Insts[1] }},
		{"branches to", func(f *Func) { f.Insts[1].Targets = []BlockID{9} }},
		{"falls off the end", func(f *Func) { f.Insts[4] = f.Insts[2] }},
		{"stands twice", func(f *Func) { f.Regs[1].Name = "%b" }},
		{"bits", func(f *Func) { f.Regs[1].Bits = 64 }},
		{"successors", func(f *Func) { f.Blocks[0].Succs = f.Blocks[0].Succs[:1] }},
		{"predecessors", func(f *Func) { f.Blocks[2].Preds = nil }},
		{"no form", func(f *Func) { f.Insts[2].Sel = nil }},
		{"no predicate", func(f *Func) { f.Insts[2].Guard = Guard{Reg: 1} }},
		{"register", func(f *Func) { f.Insts[2].Ops = []Operand{{Kind: OpReg, Reg: 77}} }},
		{"type", func(f *Func) { f.Insts[2].Ops = append([]Operand{{Kind: OpReg, Reg: 0}}, f.Insts[2].Ops[1:]...) }},
		{"symbol of nothing", func(f *Func) { f.Insts[2].Ops = []Operand{{Kind: OpSym}} }},
		{"pair", func(f *Func) { f.Insts[2].Ops = []Operand{{Kind: OpPair}} }},
		{"its code 2", func(f *Func) { f.Insts[2].Targets = []BlockID{1} }},
		{"targets", func(f *Func) { f.Insts[3].Targets = []BlockID{2} }},
		{"CC.CF", func(f *Func) { f.Insts[2].Carry = CarryIn }},
		{"holds", func(f *Func) { f.Rows.Of[2] = f.Rows.Of[1] }},
		{"rows for", func(f *Func) { f.Rows.Of = nil }},
	} {
		m, err := Parse(sound)
		if err != nil {
			t.Fatal(err)
		}
		if err := Verify(m); err != nil {
			t.Fatalf("the sound module: %v", err)
		}
		c.harm(m.Funcs[0])
		if err := Verify(m); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("want a finding with %q, got %v", c.want, err)
		}
	}
}

func TestVerifyVars(t *testing.T) {
	for want, v := range map[string]*Var{
		"alignment":     {Name: "v", Align: 3, Size: 4},
		"initial bytes": {Name: "v", Align: 4, Size: 1, Init: make([]byte, 2)},
		"relocation":    {Name: "v", Align: 4, Size: 8, Init: make([]byte, 4), Relocs: []Reloc{{Off: 0, Bytes: 8}}},
	} {
		if err := Verify(&Module{Vars: []*Var{v}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want a finding with %q, got %v", want, err)
		}
	}
}
