package pipeline

// This file runs kernels as devices do: each by the compiler that is likely the faster one.

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/bench/kernels"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// TestDefault: the tuned kernels have the new pipeline's code on devices of the engine jit, and results are the interpreter's.
func TestDefault(t *testing.T) {
	for _, k := range kernels.All() {
		if !k.Tuned() {
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			text, r := source(t, k), k.Make(k.Small)
			got, want := runBy(t, ptxvm.DeviceConfig{Engine: ptxvm.JIT}, text, r, 2), run(t, text, r, 1, nil)
			for i := range got {
				if diff := got[i].differs(&want[0]); diff != "" {
					t.Errorf("run %d: %s", i, diff)
				}
			}
			if last := got[1]; last.byC == 0 || len(last.notC) > 0 {
				t.Errorf("%d of %d compiled lane operations are the new pipeline's; %q", last.byC, last.compiled, last.notC)
			}
		})
	}
}

// directed is a kernel with an operation that the new pipeline does not know.
const directed = `.version 8.0
.target sm_90
.address_size 64
.visible .entry directed(.param .u64 out)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<4>;
	.reg .f64 %fd<4>;
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
	cvt.rn.f64.u32 %fd1, %r1;
	div.rm.f64 %fd2, %fd1, 0d4008000000000000;
	mul.wide.u32 %rd2, %r1, 8;
	add.s64 %rd3, %rd1, %rd2;
	st.global.f64 [%rd3], %fd2;
	ret;
}
`

// TestDefaultOld: a kernel that the new pipeline does not know all of has the old compiler's code, and why is told.
func TestDefaultOld(t *testing.T) {
	out := &corpus.Buffer{Name: "out", Elem: corpus.U64, Init: make([]byte, 8*64)}
	r := &corpus.Run{Buffers: []*corpus.Buffer{out}, Launches: []corpus.Launch{{Kernel: "directed", Grid: [3]int{1, 1, 1}, Block: [3]int{64, 1, 1}, Args: []corpus.Arg{{Buffer: out}}}}}
	got, want := runBy(t, ptxvm.DeviceConfig{Engine: ptxvm.JIT}, directed, r, 2), run(t, directed, r, 1, nil)
	if diff := got[1].differs(&want[0]); diff != "" {
		t.Error(diff)
	}
	if last := got[1]; last.byC > 0 || last.compiled == 0 || len(last.notC) == 0 || !strings.Contains(last.notC[0], "DivRMF64") {
		t.Errorf("%d of %d compiled lane operations are the new pipeline's; %q", last.byC, last.compiled, last.notC)
	}
}

// TestDefaultAuto: a launch that is short has none of the new pipeline's code, one whose only CTA runs when that has been made is gone on with
// by the old compiler's, and the next one begins in the new pipeline's.
func TestDefaultAuto(t *testing.T) {
	s := scalingBy(t, ptxvm.DeviceConfig{Workers: 1}, 64)
	stats, err := s.launch(context.Background(), 20)
	if err != nil || stats.New != 0 {
		t.Errorf("a short launch: %d of %d lane operations are the new pipeline's: %v", stats.New, stats.LaneOps, err)
	}
	if stats, err = s.launch(context.Background(), 1_000_000); err != nil || stats.New != 0 || stats.Compiled < stats.LaneOps/100*99 {
		t.Errorf("a launch of one CTA: %d of %d lane operations are compiled, %d by the new pipeline: %v", stats.Compiled, stats.LaneOps, stats.New, err)
	}
	for range 2 { // the first one finds where memory is
		if stats, err = s.launch(context.Background(), 1000); err != nil {
			t.Fatal(err)
		}
	}
	if stats.New != stats.LaneOps {
		t.Errorf("the launches behind it: %d of %d lane operations are the new pipeline's; %q", stats.New, stats.LaneOps, stats.NotNew)
	}
}

// TestDefaultFreed: where memory is batches learn from the quick tier's code, which has found it before memory was freed, so that the
// interpreter executes no access any more.
func TestDefaultFreed(t *testing.T) {
	s := scalingBy(t, ptxvm.DeviceConfig{Workers: 1}, 1<<12)
	var last ptxvm.Stats
	for range 4 {
		other, err := s.Alloc(1)
		if err == nil {
			err = other.Free()
		}
		if err == nil {
			last, err = s.launch(context.Background(), 20)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if last.New != last.LaneOps {
		t.Errorf("%d of %d lane operations are the new pipeline's; %q", last.New, last.LaneOps, last.NotNew)
	}
}

// TestDefaultRest: what a batch leaves because a turn is over the old compiler's code goes on with.
func TestDefaultRest(t *testing.T) {
	s := scalingBy(t, ptxvm.DeviceConfig{Engine: ptxvm.JIT, Workers: 1}, 64)
	for i := range 4 { // accesses find memory one by one
		stats, err := s.launch(context.Background(), 100_000)
		if err != nil || i == 3 && (stats.New == 0 || stats.Compiled != stats.LaneOps || len(stats.NotNew) != 0) {
			t.Errorf("%d of %d lane operations are compiled, %d by the new pipeline: %v; %q", stats.Compiled, stats.LaneOps, stats.New, err, stats.NotNew)
		}
	}
}

// TestDefaultLeaves: code that leaves nearly all of its warps is taken away.
func TestDefaultLeaves(t *testing.T) {
	s := scalingBy(t, ptxvm.DeviceConfig{Engine: ptxvm.JIT, Workers: 1}, 1<<17)
	c := &jit.PipelineC{Own: true, Choose: true}
	c.Build.Leave = func(pc int32) bool { return true }
	if err := vm.CompileWith(s.Device, jit.ThroughC(jit.Options{}, c)); err != nil {
		t.Fatal(err)
	}
	var stats ptxvm.Stats
	for i := 0; i == 0 || i < 200 && stats.New != 0; i++ {
		var err error
		if stats, err = s.launch(context.Background(), 9); err != nil {
			t.Fatal(err)
		}
	}
	if stats.New != 0 || stats.Compiled != stats.LaneOps {
		t.Errorf("%d of %d lane operations are compiled, %d by the new pipeline", stats.Compiled, stats.LaneOps, stats.New)
	}
}

// TestDefaultTogether: launches at the same time, the first of which compiles, on devices whose machine code has room and has none.
func TestDefaultTogether(t *testing.T) {
	for _, room := range []int64{0, 1 << 14, 100} {
		s := scalingBy(t, ptxvm.DeviceConfig{Engine: ptxvm.JIT, Workers: 2}, 1<<12)
		if err := vm.CompileWith(s.Device, jit.ByDefault(jit.Options{Room: room})); err != nil {
			t.Fatal(err)
		}
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				grid := ptxvm.Launch{Grid: ptxvm.Dim3{X: 16}, Block: ptxvm.Dim3{X: 64}}
				b, err := s.Alloc(4 * 1024)
				for i := 0; i < 20 && err == nil; i++ {
					_, err = s.kernel.Launch(context.Background(), grid, b, uint32(20))
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if stats, err := s.launch(context.Background(), 9); err != nil || (room != 100) != (stats.New != 0) || stats.New != 0 && stats.New != stats.LaneOps {
			t.Errorf("room for %d bytes: %d of %d lane operations are the new pipeline's: %v; %q", room, stats.New, stats.LaneOps, err, stats.NotNew)
		}
	}
}

// TestDefaultStopped: a launch that is stopped before its kernel is compiled leaves that to the next one.
func TestDefaultStopped(t *testing.T) {
	s := scalingBy(t, ptxvm.DeviceConfig{Engine: ptxvm.JIT, Workers: 1}, 64)
	ctx, cancel := context.WithTimeout(context.Background(), -time.Second)
	defer cancel()
	if _, err := s.launch(ctx, 9); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	for range 2 {
		if _, err := s.launch(context.Background(), 9); err != nil {
			t.Error(err)
		}
	}
	if stats, err := s.launch(context.Background(), 9); err != nil || stats.New == 0 {
		t.Errorf("%d lane operations are the new pipeline's: %v", stats.New, err)
	}
}
