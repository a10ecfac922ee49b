package isel

import (
	"encoding/binary"
	"strings"
	"testing"
)

// words is a constant of words, again and again.
func words(k ...uint32) (c Const) {
	for i := range len(c) / 4 {
		binary.LittleEndian.PutUint32(c[4*i:], k[i%len(k)])
	}
	return c
}

// TestConstants: constants are as short as what they say.
func TestConstants(t *testing.T) {
	for _, c := range []struct {
		of   Class
		k    Const
		want string
	}{
		{General, words(5, 0), "5"}, {General, words(0xffffffff), "-1"}, {General, words(0xffffffff, 0), "0xffffffff"}, {General, words(0x10000, 0), "0x10000"},
		{General, words(1, 1), "0x100000001"},
		{Vector, words(0), "{0}"}, {Vector, words(0x7fffffff), "{0x7fffffff}"}, {Vector, words(0xffffffff), "{-1}"},
		{Vector, words(0, 1, 2, 3, 4, 5, 6, 7), "{0, 1, …}"}, {Vector, words(8, 6, 4, 2, 0, 0xfffffffe, 0xfffffffc, 0xfffffffa), "{8, 6, …}"},
		{Vector, words(0, 0, 8, 0, 16, 0, 24, 0), "{0, 8, …}.64"}, {Vector, words(1, 2), "{0x200000001}.64"},
		{Vector, words(0, 4, 1, 5, 2, 6, 3, 7), "{0, 4, 1, 5, 2, 6, 3, 7}"},
		{Mask, words(0), "{none}"}, {Mask, words(0xffffffff), "{all}"},
	} {
		if got := c.k.text(c.of); got != c.want {
			t.Errorf("%x is %s, want %s", c.k[:16], got, c.want)
		}
	}
}

// named is an operation that is no more than its name.
type named string

func (n named) Text(uses []string) string { return string(n) + " " + strings.Join(uses, ", ") }

// TestText: a function has a line for each instruction, and a reason where it is another than that of the line before.
func TestText(t *testing.T) {
	f := New("k")
	p, x, k, tmp := f.NewReg(General), f.NewReg(Vector), f.NewReg(Mask), f.NewReg(General)
	from, to := f.NewBlock(2, false), f.NewBlock(3, true)
	from.Params, to.Params = []VReg{p}, []VReg{f.NewReg(General)}
	load := f.NewInst(named("load"), x, p)
	test := f.NewInst(named("test"), k, x, f.Constant(Vector, words(7)))
	test.Fold, test.Temps, test.Early = 1, []VReg{tmp}, true
	jump := f.NewInst(named("jump"), 0)
	from.Insts = []*Inst{load, test, jump}
	f.Add(from)
	f.Add(to)
	jump.To, jump.Args = to, []VReg{p}
	why := map[*Inst]string{load: "a", test: "a", jump: "b"}
	got := f.Text(func(i *Inst) string { return why[i] })
	want := `func k
b0 level 2(%g1):
  %x2 = load %g1                                                 // a
  %k3 = test %x2/m, {7} changes %g4 early
  jump  to b1(%g1)                                               // b
b1 level 3 cold(%g5):
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := test.String(), "%3 = test %2/m, %6 changes %4 early"; got != want {
		t.Errorf("alone it is %q, want %q", got, want)
	}
}
