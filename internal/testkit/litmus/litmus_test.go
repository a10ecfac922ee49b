package litmus

// The run. Plain `go test` passes a few rounds through every test; -litmus runs CI's size, -litmus.full
// a million rounds and prints what was allowed and seen.

import (
	"context"
	"errors"
	"flag"
	"os"
	"testing"

	"ptxvm.invalid/ptxvm"
)

var (
	ci   = flag.Bool("litmus", false, "run the size of CI")
	full = flag.Bool("litmus.full", false, "run a million rounds of each test")
)

func rounds() int {
	switch {
	case *full:
		return 1_000_000
	case *ci:
		return 16_000
	}
	return 1_600
}

func load(t *testing.T) ([]*Test, string) {
	t.Helper()
	text, err := os.ReadFile("testdata/tests.txt")
	if err != nil {
		t.Fatal(err)
	}
	tests, err := Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	frame, err := os.ReadFile("testdata/frame.ptx")
	if err != nil {
		t.Fatal(err)
	}
	return tests, string(frame)
}

// TestLitmus looks for forbidden outcomes, in the interpreter and in compiled code: half of the rounds in
// single threads, where the accesses of a round follow each other closely, half in full warps, where
// those of many rounds overlap.
func TestLitmus(t *testing.T) {
	tests, frame := load(t)
	for _, test := range tests {
		for _, engine := range []ptxvm.Engine{ptxvm.Interp, ptxvm.JIT} {
			t.Run(test.Name+"/"+engine.String(), func(t *testing.T) {
				for _, lanes := range []int{1, 32} {
					judge(t, test, lanes, observe(t, test, frame, engine, lanes, rounds()/2))
				}
			})
		}
	}
}

// judge counts the rounds for which each rule holds.
func judge(t *testing.T, test *Test, lanes int, seen []Round) {
	t.Helper()
	for i := range test.Rules {
		r := &test.Rules[i]
		n := 0
		for k := range seen {
			if r.Holds(&seen[k]) {
				n++
			}
		}
		switch {
		case r.Verb == "never" && n != 0:
			t.Errorf("forbidden outcome %s in %d of %d rounds with %d lanes", r.Text, n, len(seen), lanes)
		case r.Verb == "always" && n != len(seen):
			t.Errorf("%s does not hold in %d of %d rounds with %d lanes", r.Text, len(seen)-n, len(seen), lanes)
		case r.Verb == "count":
			t.Logf("%s in %d of %d rounds with %d lanes", r.Text, n, len(seen), lanes)
		}
	}
}

// stride is the bytes of a variable.
const stride = 16

// observe runs n rounds with one worker for every CTA.
func observe(t *testing.T, test *Test, frame string, engine ptxvm.Engine, lanes, n int) []Round {
	t.Helper()
	n = n / lanes * lanes
	d, k := compile(t, test, frame, engine)
	defer d.Close()
	step := uint32(stride)
	if test.Hot {
		step = 0
	}
	vars, seen, gate := alloc(t, d, 2*n*stride+256), alloc(t, d, len(test.CTAs)*n*8), alloc(t, d, 4)
	_, err := k.Launch(context.Background(), ptxvm.Launch{Grid: ptxvm.Dim3{X: uint32(len(test.CTAs))}, Block: ptxvm.Dim3{X: uint32(lanes)}},
		vars, seen, gate, uint32(n/lanes), step)
	if err != nil {
		t.Fatal(err)
	}
	return collect(t, test, vars, seen, n)
}

func compile(t *testing.T, test *Test, frame string, engine ptxvm.Engine) (*ptxvm.Device, *ptxvm.Kernel) {
	t.Helper()
	m, err := ptxvm.Compile(test.Name, []byte(test.Kernel(frame)), nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Workers: len(test.CTAs), Memory: 1 << 30, Engine: engine})
	if errors.Is(err, ptxvm.ErrNoJIT) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	k, err := p.Kernel("litmus")
	if err != nil {
		t.Fatal(err)
	}
	return d, k
}

func alloc(t *testing.T, d *ptxvm.Device, n int) ptxvm.Buffer {
	t.Helper()
	b, err := d.Alloc(n)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// collect turns memory into rounds.
func collect(t *testing.T, test *Test, vars, seen ptxvm.Buffer, n int) []Round {
	t.Helper()
	memory, regs := make([]uint32, vars.Len()/4), make([][2]uint32, len(test.CTAs)*n)
	flat := make([]uint32, 2*len(regs))
	if err := ptxvm.Download(vars, memory); err != nil {
		t.Fatal(err)
	}
	if err := ptxvm.Download(seen, flat); err != nil {
		t.Fatal(err)
	}
	for i := range regs {
		regs[i] = [2]uint32{flat[2*i], flat[2*i+1]}
	}
	out := make([]Round, n)
	for i := range out {
		r := &out[i]
		for c := range test.CTAs {
			r.Reg = append(r.Reg, regs[c*n+i])
		}
		if !test.Hot {
			r.X, r.Y = memory[i*stride/4], memory[(n+i)*stride/4+32]
		}
	}
	return out
}

// TestRules evaluates conditions that hold and that do not.
func TestRules(t *testing.T) {
	round := &Round{Reg: [][2]uint32{{1, 0}, {5, 7}}, X: 3, Y: 0x22221111}
	for text, want := range map[string]bool{
		"0:r0=1": true, "0:r1=1": false, "1:r0<1:r1": true, "1:r0>1:r1": false,
		"x=3 y=0x22221111": true, "x=3 y=1": false, "0:r0=1 1:r1=7": true,
	} {
		tests, err := Parse("test a fresh\nCTA\nCTA\nnever " + text)
		if err != nil {
			t.Fatal(err)
		}
		if got := tests[0].Rules[0].Holds(round); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
	for _, bad := range []string{"never x=1", "test a", "test a cold", "test a hot\nnever x", "test a hot\nnever x=q", "test a hot\n\tret;", "test a hot\nnever 0:r2=1"} {
		if _, err := Parse(bad); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}
