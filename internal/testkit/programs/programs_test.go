package programs

import (
	"flag"
	"slices"
	"strings"
	"testing"
	"time"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/testkit/generate"
)

var (
	full     = flag.Bool("full", false, "run programs for ten minutes")
	duration = flag.Duration("duration", 0, "run programs for so long")
	seed     = flag.Uint64("seed", 1, "seed of the first program")
	count    = flag.Int("programs", 75, "programs to run")
)

// TestPrograms: what a program computes does not depend on the shape of blocks, on the workers,
// nor on whether lanes share scalar code, nor on whether functions are called or stand in place of their calls.
func TestPrograms(t *testing.T) {
	deadline := time.Now().Add(time.Hour)
	n := *count
	if *full {
		*duration = 10 * time.Minute
	}
	if *duration != 0 {
		n, deadline = 1<<30, time.Now().Add(*duration)
	}
	nodes, refused, called, inPlace := 0, 0, 0, 0
	for i := 0; i < n && time.Now().Before(deadline); i++ {
		s := *seed + uint64(i)
		p := generate.NewProgram(s, Executed)
		n, err := Supported(p)
		if err != nil {
			t.Errorf("seed %d: %v\n%s", s, err, p)
			continue
		}
		refused += n
		nodes += p.Size()
		if calls, place := functions(t, p); calls {
			called++
			if place {
				inPlace++
			}
		}
		if err := Compare(p, NewInput(s)); err != nil {
			p.Minimise(func() bool { return Compare(p, NewInput(s)) != nil })
			t.Errorf("seed %d: %v\nleast program, with %v:\n%s\nrepeat: go test ./internal/testkit/programs -run TestPrograms -programs 1 -seed %d", s, err, Compare(p, NewInput(s)), p, s)
		}
	}
	t.Logf("%d nodes; %d statements dropped that are refused; %d programs call functions, %d have some in place", nodes, refused, called, inPlace)
	if *count >= 50 && (called == 0 || inPlace == 0 || inPlace == called) {
		t.Error("no program calls functions, or none in place, or each")
	}
	if refused*20 > nodes {
		t.Error("too many statements are refused")
	}
}

// functions reports whether a program calls any, and whether some stand in place of their calls.
func functions(t *testing.T, p *generate.Program) (calls, inPlace bool) {
	t.Helper()
	c, err := compile(p, &Input{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.device.Close()
	return slices.ContainsFunc(c.kernel.Insts, func(in ir.Inst) bool { return in.IsCall() }), c.kernel.Inline() != nil
}

// TestMinimise plants a defect, an instruction that is executed as another one: what is left of a program that shows
// it is little more than that instruction.
func TestMinimise(t *testing.T) {
	planted := strings.NewReplacer("xor.b32 ", "or.b32 ", "min.s32 ", "max.s32 ", "add.f32 ", "sub.f32 ")
	found := 0
	for s := uint64(1); found < 3; s++ {
		p := generate.NewProgram(s, Executed)
		if _, err := Supported(p); err != nil {
			t.Fatal(err)
		}
		fails := func() bool { return changed(t, p, NewInput(s), planted) }
		before := p.Size()
		if before < 20 || !fails() {
			continue
		}
		found++
		if p.Minimise(fails); p.Size() > 3 || !fails() {
			t.Errorf("seed %d: %d of %d nodes are left:\n%s", s, p.Size(), before, p)
		}
	}
}

// changed reports whether the replacement of instructions changes what a program writes.
func changed(t *testing.T, p *generate.Program, input *Input, planted *strings.Replacer) bool {
	t.Helper()
	var out [2][]byte
	for i, text := range []string{p.String(), planted.Replace(p.String())} {
		c, err := compileText(text, p.Target, input)
		if err != nil {
			return false
		}
		defer c.device.Close()
		if out[i], err = c.run(Ways(p)[0]); err != nil {
			return false
		}
	}
	return differ(out[0], out[1]) >= 0
}
