package pipeline

import (
	"errors"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/jit"
)

// TestAssumed: code follows the positions of assumptions about the special function unit.
func TestAssumed(t *testing.T) {
	statements := []string{"rcp.approx.f32 %w0, %w1", "rsqrt.approx.ftz.f32 %w0, %w1", "ex2.approx.f32 %w0, %w1", "lg2.approx.f32 %w0, %w1", "sin.approx.f32 %w0, %w1",
		"div.approx.f32 %w0, %w1, %w2", "sqrt.approx.f32 %w0, %w1", "tanh.approx.f32 %w0, %w1", "ex2.approx.f16 %h0, %h1", "rcp.approx.ftz.f64 %x0, %x1"}
	text, r := operandKernel(statements), operandRun(floatEdges, len(statements))
	backEnds(t, func(t *testing.T, b backEnd) {
		if !b.own {
			t.Skip("C takes no kernel of which handlers execute instructions")
		}
		plain := run(t, text, r, 1, nil)[0]
		for _, position := range []string{"sfu-tables=nearest", "sfu-sqrt=nearest", "sfu-tanh=nearest"} {
			of := func(engine ptxvm.Engine, prepare func(*ptxvm.Device) error) outcome {
				d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Workers: 1, Memory: 1 << 26, Engine: engine, Assume: position})
				if errors.Is(err, ptxvm.ErrNoJIT) {
					t.Skip(err)
				}
				if err != nil {
					t.Fatal(err)
				}
				defer d.Close()
				if err := prepare(d); err != nil {
					t.Fatal(err)
				}
				return runOn(t, d, text, r, 2)[1]
			}
			refused := map[string]error{}
			got := of(ptxvm.JIT, b.with(&jit.PipelineC{}, refused))
			want := of(ptxvm.Interp, func(*ptxvm.Device) error { return nil })
			if diff := got.differs(&want); diff != "" || refused["k"] != nil || got.byC == 0 {
				t.Errorf("%s: %s; refused: %v", position, diff, refused["k"])
			}
			if want.differs(&plain) == "" {
				t.Errorf("%s changes nothing", position)
			}
		}
	})
}
