package ir

// This file checks layout, jumps and regions on cases made by hand.

import (
	"strings"
	"testing"
)

// head begins a test module with one function.
const head = `module "t" version 8.0 target sm_90
func f entry
 frame params 0 call 0 locals 0 shared 0
 reg %p pred
 reg %q pred
 reg %a b32
 reg %b b32
 reg %x b64
`

// parseBody parses blocks in text and, since written order may differ from layout order,
// builds them again from their instructions.
func parseBody(t *testing.T, text string) *Func {
	t.Helper()
	m, err := Parse(head + text + "end\n")
	if err != nil {
		t.Fatal(err)
	}
	f := rebuild(t, m.Funcs[0], Options{})
	if err := f.Verify(); err != nil {
		t.Fatalf("%v\n%s", err, f)
	}
	return f
}

// rebuild runs Build on a function's own blocks.
func rebuild(t *testing.T, f *Func, opt Options) *Func {
	t.Helper()
	body := Body{Insts: f.Insts}
	for i := range f.Blocks {
		body.Labels = append(body.Labels, Label{Name: f.Blocks[i].Label, At: f.Blocks[i].First})
	}
	g := NewFunc(f.Name)
	g.Entry, g.Regs, g.CC = f.Entry, f.Regs, f.CC
	if err := g.Build(&body, opt); err != nil {
		t.Fatal(err)
	}
	return g
}

// layoutOf lists the labels in layout order.
func layoutOf(f *Func) string {
	var labels []string
	for i := range f.Blocks {
		labels = append(labels, orDash(f.Blocks[i].Label))
	}
	return strings.Join(labels, " ")
}

func blockNamed(t *testing.T, f *Func, label string) BlockID {
	t.Helper()
	for i := range f.Blocks {
		if f.Blocks[i].Label == label {
			return BlockID(i)
		}
	}
	t.Fatalf("no block %s in\n%s", label, f)
	return NoBlock
}

func TestLayoutCases(t *testing.T) {
	const set = "  setp.ne.s32 %p, %a, %b @0 0\n"
	for _, c := range []struct{ name, text, want string }{
		{"diamond", "block A\n" + set + "  @%p bra -> b2 @0 0\nblock B\n  bra -> b3 @0 0\nblock C\n  add.s32 %a, %a, %b @0 0\nblock D\n  ret @0 0\n", "A B C D"},
		{"exit inside the written loop", "block A\n" + set + "block H\n" + set + "  @%p bra -> b3 @0 0\nblock B\n  bra -> b1 @0 0\nblock X\n  add.s32 %a, %a, %b @0 0\n  ret @0 0\n", "A H B X"},
		{"exit written before the body", "block H\n" + set + "  @%p bra -> b2 @0 0\nblock X\n  add.s32 %a, %a, %b @0 0\n  ret @0 0\nblock B\n  bra -> b0 @0 0\n", "H B X"},
		{"unreachable", "block A\n  bra -> b2 @0 0\nblock U\n  bra -> b1 @0 0\nblock D\n  ret @0 0\n", "A D"},
		{"torn fall-through", "block A\n" + set + "  @%p bra -> b2 @0 0\nblock H\n  add.s32 %a, %a, %b @0 0\n  @%p bra -> b1 @0 0\nblock C\n  ret @0 0\n", "A H C"},
	} {
		f := parseBody(t, c.text)
		if got := layoutOf(f); got != c.want {
			t.Errorf("%s: layout %s, want %s\n%s", c.name, got, c.want, f)
		}
	}
}

// TestEarlyExit: a branch to nothing but an exit becomes a guarded exit, which ends no block.
func TestEarlyExit(t *testing.T) {
	f := parseBody(t, `block A
  setp.ne.s32 %p, %a, %b @0 0
  @%p bra -> b2 @0 0
block B
  add.s32 %a, %a, %b @0 0
block E
  exit @0 0
`)
	if len(f.Blocks) != 1 || f.Insts[1].Sel.Text() != "exit" || f.Insts[1].Guard.Reg == NoReg {
		t.Errorf("want a guarded exit in the first block:\n%s", f)
	}
	if s := f.Solve(LaunchShape{32, 1, 1, false, false}, nil); s.Divergent[0] {
		t.Error("a guarded exit makes the code behind it divergent")
	}
}

func TestPostDominators(t *testing.T) {
	f := parseBody(t, `block A
  setp.ne.s32 %p, %a, %b @0 0
  @%p bra -> b2 @0 0
block B
  add.s32 %a, %a, %b @0 0
  bra -> b3 @0 0
block L
  bra -> b2 @0 0
block D
  add.s32 %a, %a, %b @0 0
  ret @0 0
`)
	a, b, d, l := blockNamed(t, f, "A"), blockNamed(t, f, "B"), blockNamed(t, f, "D"), blockNamed(t, f, "L")
	if f.Blocks[a].IPDom != b || f.Blocks[b].IPDom != d || f.Blocks[d].IPDom != NoBlock || f.Blocks[l].IPDom != NoBlock {
		t.Errorf("an endless loop keeps the other lanes from meeting:\n%s", f)
	}
	if f.Blocks[l].Loop != l || f.Blocks[l].Depth != 1 || f.Blocks[d].Depth != 0 {
		t.Errorf("loops:\n%s", f)
	}
}

func TestOneRowEach(t *testing.T) {
	text := "block A\n  mov.b32 %a, 0x1:b32 @0 0\n  add.s32 %b, %a, %a @0 0\n  cvt.u64.u32 %x, %b @0 0\n  ret @0 0\n"
	f := parseBody(t, text)
	if f.Rows.Count[W32] != 1 {
		t.Errorf("%d rows where the result can take its operand's", f.Rows.Count[W32])
	}
	g := rebuild(t, f, Options{OneRowEach: true})
	if g.Rows.Count[W32] != 2 {
		t.Errorf("%d rows, want one each", g.Rows.Count[W32])
	}
	if _, _, ok := g.Row(g.Reg("%a"), 3); !ok {
		t.Error("a register with a row of its own has it everywhere")
	}
}
