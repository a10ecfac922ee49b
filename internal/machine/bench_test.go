package machine

import (
	"testing"

	"ptxvm.invalid/ptxvm/internal/machine/shape"
	"ptxvm.invalid/ptxvm/internal/machine/sizes"
)

// hLoop counts up the scalar at D and sets predicate A while it is below Imm.
var hLoop Handler = func(w *Warp, in *Inst) State {
	s := w.S64(in.D)
	*s++
	*w.P(in.A) = 0
	if *s < in.Imm {
		*w.P(in.A) = ^uint32(0)
	}
	return Next
}

var hNothing Handler = func(*Warp, *Inst) State { return Next }

// BenchmarkDispatch is the cost of one instruction that does nothing: the loop's own.
func BenchmarkDispatch(b *testing.B) {
	for _, guard := range []string{"plain", "guarded"} {
		b.Run(guard, func(b *testing.B) {
			m := newMachine(b, 64)
			nothing := op(hNothing, 0, 0, 0, 0)
			if guard == "guarded" {
				nothing = nothing.unless(p(1))
			}
			body := make([]Inst, 0, 20)
			for range 16 {
				body = append(body, nothing)
			}
			count := op(hLoop, testScalar, p(0), 0, 0)
			count.Imm = uint64(b.N)/16 + 1
			loop := bra(0, 18)
			loop.Flags = QuietLoop
			c := code(append(body, count, loop.when(p(0)), op(hExit, 0, 0, 0, 0))...)
			b.ResetTimer()
			m.mustRun(c, 1, 32, nil)
		})
	}
}

// BenchmarkEmptyLaunch is a launch of one warp that exits, from call to return.
func BenchmarkEmptyLaunch(b *testing.B) {
	m := newMachine(b, 64)
	c := code(op(hExit, 0, 0, 0, 0))
	b.ReportAllocs()
	for b.Loop() {
		m.mustRun(c, 1, 32, nil)
	}
}

// BenchmarkCTA is the cost of a CTA of 256 threads that exits at once.
func BenchmarkCTA(b *testing.B) {
	m := newMachine(b, 64)
	c := code(op(hExit, 0, 0, 0, 0))
	b.ReportAllocs()
	b.ResetTimer()
	m.mustRun(c, uint32(b.N), 256, nil)
}

// BenchmarkBarrier is one barrier of 8 warps.
func BenchmarkBarrier(b *testing.B) {
	m := newMachine(b, 64)
	count := op(hLoop, testScalar, p(0), 0, uint64(b.N))
	c := code(op(hBar, 0, 0, 0, 0), count, bra(0, 3).when(p(0)), op(hExit, 0, 0, 0, 0))
	b.ResetTimer()
	m.mustRun(c, 1, 256, nil)
}

// BenchmarkDiverge is an if with two arms, each taken by half a warp: separate and meet.
func BenchmarkDiverge(b *testing.B) {
	m := newMachine(b, 64)
	count := op(hLoop, testScalar, p(0), 0, uint64(b.N))
	c := code(
		op(hLtI, p(1), tid, 0, 16),
		bra(3, 4).when(p(1)),
		bra(4, 4),
		op(hNothing, 0, 0, 0, 0),
		count,
		bra(1, 6).when(p(0)),
		op(hExit, 0, 0, 0, 0),
	)
	b.ResetTimer()
	m.mustRun(c, 1, 32, nil)
}

// BenchmarkSwitch is a CTA that polls once, parks and is resumed by the same worker.
func BenchmarkSwitch(b *testing.B) {
	m := newMachine(b, 64)
	nap := op(hNap, 0, 0, 0, 0)
	count := op(hLoop, testScalar, p(0), 0, uint64(b.N)/16+1)
	c := code(nap, count, bra(0, 3).when(p(0)), op(hExit, 0, 0, 0, 0))
	b.ResetTimer()
	m.mustRun(c, 16, 32, nil)
}

// BenchmarkCall is a call that returns at once.
func BenchmarkCall(b *testing.B) {
	m := newMachine(b, 64)
	f := code(op(hRet, 0, 0, 0, 0))
	count := op(hLoop, testScalar, p(0), 0, uint64(b.N))
	site := &CallSite{Callee: f}
	c := code(
		Inst{Full: hCall, Part: hCall, Ext: &Ext{Call: site}, Guard: NoGuard},
		count, bra(0, 3).when(p(0)), op(hExit, 0, 0, 0, 0),
	)
	b.ResetTimer()
	m.mustRun(c, 1, 32, nil)
}

// BenchmarkAccess is the check of 32 contiguous addresses.
func BenchmarkAccess(b *testing.B) {
	m := newMachine(b, 64)
	w := &Warp{core: m.core, Mask: ^uint32(0)}
	w.cta = &CTA{grid: new(Grid)}
	if err := w.cta.grid.Describe(&Launch{Entry: code(), Shape: shape.Shape{Block: [3]uint32{1, 1, 1}, Grid: [3]uint32{1, 1, 1}, Cluster: [3]uint32{1, 1, 1}}, Target: sizes.Of(90)}, false); err != nil {
		b.Fatal(err)
	}
	var addr [32]uint64
	for i := range addr {
		addr[i] = m.base + uint64(i)*4
	}
	in, q := &Inst{}, request(Global, Load, 4)
	for b.Loop() {
		if _, st := w.Access(in, q, &addr); st != Next {
			b.Fatal("fault")
		}
	}
}

// BenchmarkBareCall is the floor under BenchmarkDispatch: handlers called from a loop that does
// nothing else.
func BenchmarkBareCall(b *testing.B) {
	w := &Warp{}
	insts := make([]Inst, 16)
	for i := range insts {
		insts[i] = op(hNothing, 0, 0, 0, 0)
	}
	for i := 0; i < b.N; i += len(insts) {
		for k := range insts {
			if insts[k].Full(w, &insts[k]) != Next {
				b.Fatal("stopped")
			}
		}
	}
}
