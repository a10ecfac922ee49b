package pipeline

// This file tests accesses by pointers that were chosen: their lanes are in two allocations, or in one after the other.

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/jit"
)

// chosenModule has kernels that add what two arrays have at a thread's word, from the first for even threads (lanes) or turns (whole), as a
// compiler writes c ? a : b; by is how many bytes further the second one is read and written.
const chosenModule = `.version 8.0
.target sm_90
.address_size 64
.visible .entry lanes(.param .u64 a, .param .u64 b, .param .u64 to, .param .u64 by) {
	.reg .pred %p; .reg .b32 %r<9>; .reg .b64 %rd<9>;
	ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [to]; ld.param.u64 %rd7, [by];
	mov.u32 %r1, %tid.x; mul.wide.u32 %rd4, %r1, 4; add.u64 %rd1, %rd1, %rd4; add.u64 %rd2, %rd2, %rd4; add.u64 %rd3, %rd3, %rd4;
	ld.global.u32 %r2, [%rd1]; ld.global.u32 %r3, [%rd2]; st.global.u32 [%rd1], %r2; st.global.u32 [%rd2], %r3; add.u32 %r2, %r2, %r3;
	add.u64 %rd2, %rd2, %rd7;
	and.b32 %r4, %r1, 1; setp.eq.u32 %p, %r4, 0; selp.b64 %rd5, %rd1, %rd2, %p;
	ld.global.u32 %r5, [%rd5]; add.u32 %r2, %r2, %r5; st.global.u32 [%rd3], %r2; add.u32 %r5, %r5, 7; st.global.u32 [%rd5], %r5; ret;
}
.visible .entry whole(.param .u64 a, .param .u64 b, .param .u64 to, .param .u64 by) {
	.reg .pred %p, %q; .reg .b32 %r<9>; .reg .b64 %rd<9>;
	ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [to]; ld.param.u64 %rd7, [by];
	mov.u32 %r1, %tid.x; mul.wide.u32 %rd4, %r1, 4; add.u64 %rd3, %rd3, %rd4; add.u64 %rd5, %rd1, %rd4; add.u64 %rd6, %rd2, %rd4;
	ld.global.u32 %r2, [%rd1]; ld.global.u32 %r3, [%rd2]; ld.global.u32 %r4, [%rd5]; add.u32 %r2, %r2, %r4; ld.global.u32 %r4, [%rd6];
	add.u32 %r2, %r2, %r4; st.global.u32 [%rd5], %r2; st.global.u32 [%rd6], %r3;
	add.u64 %rd2, %rd2, %rd7; mov.u32 %r6, 0;
$turn:
	and.b32 %r4, %r6, 1; setp.eq.u32 %p, %r4, 0; selp.b64 %rd5, %rd1, %rd2, %p;
	ld.global.u32 %r5, [%rd5]; add.u32 %r2, %r2, %r5; add.u64 %rd6, %rd5, %rd4; ld.global.u32 %r5, [%rd6]; add.u32 %r2, %r2, %r5; st.global.u32 [%rd6], %r2;
	add.u32 %r6, %r6, 1; setp.lt.u32 %q, %r6, 9; @%q bra $turn;
	st.global.u32 [%rd3], %r2; ret;
}
`

// TestChosen: code goes on where lanes of an access are in two allocations that others have hit, and gives what the interpreter gives where one of
// them is beyond both.
func TestChosen(t *testing.T) {
	want := chosenOn(t, &ptxvm.DeviceConfig{Engine: ptxvm.Interp}, nil, nil)
	backEnds(t, func(t *testing.T, b backEnd) {
		refused := map[string]error{}
		got := chosenOn(t, &ptxvm.DeviceConfig{Engine: ptxvm.JIT}, b.with(&jit.PipelineC{}, refused), func(kernel string, launch int, s *ptxvm.Stats) {
			if kernel == "whole" || launch < learned || !b.own || b.eval {
				return // checks in front of a loop are of one allocation, code has not learned of all yet, or the back end knows one of each access
			}
			if s.New != s.LaneOps || len(s.Left) != 0 {
				t.Errorf("launch %d: %d of %d lane operations compiled, left at %v", launch, s.New, s.LaneOps, s.Left)
			}
		})
		if refused["lanes"] != nil || refused["whole"] != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("refused: %v, got\n%v, the interpreter\n%v", refused, got, want)
		}
	})
}

// learned is how many launches it takes until code knows all allocations, each of which it leaves for once, and has begun again.
const learned = 40

// chosenOn runs both kernels until what they hit is known, and then with addresses that are wrong; it returns what came of each launch.
func chosenOn(t *testing.T, cfg *ptxvm.DeviceConfig, prepare func(*ptxvm.Device) error, look func(kernel string, launch int, s *ptxvm.Stats)) (got []any) {
	const threads = 64
	cfg.Memory, cfg.Workers = 1<<20, 1
	d, err := ptxvm.NewDevice(cfg)
	if errors.Is(err, ptxvm.ErrNoJIT) {
		t.Skip("no compiled code on this processor")
	}
	defer d.Close()
	if prepare != nil {
		err = errors.Join(err, prepare(d))
	}
	m, err2 := ptxvm.Compile("chosen.ptx", []byte(chosenModule), nil)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	p, err := d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"lanes", "whole"} {
		k, err := p.Kernel(name)
		if err != nil {
			t.Fatal(err)
		}
		var buffers [3]ptxvm.Buffer
		for i := range buffers {
			if buffers[i], err = ptxvm.Upload(d, make([]uint32, threads)); err != nil {
				t.Fatal(err)
			}
		}
		for i := range learned + 4 {
			by := map[int]uint64{learned + 1: 1 << 40, learned + 2: 1, learned + 3: 4}[i] // far away, not aligned, a word beyond the end
			s, err := k.Launch(context.Background(), ptxvm.Launch{Block: ptxvm.Dim3{X: threads}}, buffers[0], buffers[1], buffers[2], by)
			if got = append(got, name, i, err, s.LaneOps); err == nil && look != nil {
				look(name, i, &s)
			}
			for _, b := range buffers {
				var words [4 * threads]byte
				b.ReadAt(words[:], 0)
				got = append(got, crc32.ChecksumIEEE(words[:]))
			}
		}
	}
	return got
}
