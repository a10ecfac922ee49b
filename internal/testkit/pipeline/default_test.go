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
	"ptxvm.invalid/ptxvm/internal/vm"
)

// old are the kernels that are left to the old compiler, with what is said of them.
var old = map[string]string{
	"bytecode": "ways apart in loops", "queens": "ways apart in loops",
	"bitonic": "barriers", "crc32": "barriers", "dot": "barriers", "fft256": "barriers", "lu16": "barriers", "sgemm": "barriers", "ttnorm": "barriers",
}

// TestDefault: which kernels have the new pipeline's code on devices of the engine jit, and that results are the interpreter's; of the others
// a reason is told.
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
			why, left := old[k.Name]
			if last := got[1]; left == (last.byC > 0) || left != (len(last.notC) > 0) || left && !strings.Contains(last.notC[0], why) {
				t.Errorf("%d of %d compiled lane operations are the new pipeline's; %q", last.byC, last.compiled, last.notC)
			}
		})
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
	for i := range 3 {
		stats, err := s.launch(context.Background(), 100_000)
		if err != nil || i == 2 && (stats.New == 0 || stats.Compiled != stats.LaneOps || len(stats.NotNew) != 0) {
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
		if err := vm.CompileWith(s.Device, jit.ByDefault(jit.Options{Late: true, Room: room})); err != nil {
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
