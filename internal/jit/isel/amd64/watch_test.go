package amd64

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit/opt"
	"ptxvm.invalid/ptxvm/internal/jit/regalloc"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
)

// selected is the saxpy that is written by hand.
func selected(t *testing.T, isa *Target) *Code {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "ssa", "testdata", "saxpy.ssa"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := ssa.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	opt.Place(f)
	c, err := Select(f, isa, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestUnproven: an operand in memory that is beyond what a test has found to be inside, or that names no access, does
// not become code.
func TestUnproven(t *testing.T) {
	for _, isa := range []*Target{AVX2, AVX512} {
		t.Run(isa.String(), func(t *testing.T) { testUnproven(t, isa) })
	}
}

func testUnproven(t *testing.T, isa *Target) {
	if _, err := selected(t, isa).encoded(); err != nil {
		t.Fatal(err)
	}
	for what, spoil := range map[string]func(m *mem){
		"tested": func(m *mem) { m.disp += 4 * 32 }, "nothing says": func(m *mem) { m.access = 0 },
	} {
		c, spoiled := selected(t, isa), 0
		for _, b := range c.Blocks {
			for _, i := range b.Insts {
				if o := i.Op.(*op); o.mem.kind == atHost && o.mem.access > 0 {
					spoil(&o.mem)
					spoiled++
				}
			}
		}
		if _, err := c.encoded(); spoiled == 0 || err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%d operands are spoiled: %v, want %s", spoiled, err, what)
		}
	}
}

func (c *Code) encoded() ([]byte, error) {
	return c.Encode(regalloc.Allocate(c.Func, c.isa.Registers()))
}

// TestRefused: what there is no rule for is named.
func TestRefused(t *testing.T) {
	for what, op := range map[string]func(f *ssa.Func, x ssa.Value) ssa.Value{
		"i2f.x": func(f *ssa.Func, x ssa.Value) ssa.Value { // which is of words
			return f.Make(ssa.I2F, ssa.X, 0, f.Make(ssa.Zext, ssa.X, 0, x))
		},
	} {
		f := ssa.New("strange", 8)
		v := op(f, f.Strided(f.Make(ssa.Field, ssa.W, 0), 1))
		f.Checks = append(f.Checks, ssa.Check{Hi: 256, Align: 1, Store: true})
		a := &ssa.Access{Elem: uint8(f.TypeOf(v).Bits() / 8), Count: 1, Bits: []uint8{64}, Base: f.Wide(0), Check: 1}
		a.Step = int64(a.Elem)
		f.NewBlock(0).Add(&ssa.Effect{Kind: ssa.Store, Mask: f.Truth(true), Args: []ssa.Value{f.Vec(v)}, Access: a})
		opt.Place(f)
		if _, err := Select(f, AVX2, Options{}); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%v, want %s", err, what)
		}
	}
}

// TestAgain: code does not depend on what was compiled in the same memory before.
func TestAgain(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "ssa", "testdata", "saxpy.ssa"))
	if err != nil {
		t.Fatal(err)
	}
	function := func() *ssa.Func {
		f, err := ssa.Parse(string(text))
		if err != nil {
			t.Fatal(err)
		}
		opt.Place(f)
		return f
	}
	var first []byte
	for n := range 5 {
		isa := [2]*Target{AVX2, AVX512}[n%2]
		image, err := Compile(function(), isa, Options{Check: true})
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			first = image
		} else if isa == AVX2 && !bytes.Equal(image, first) {
			t.Errorf("run %d: other code than at first", n)
		}
	}
}
