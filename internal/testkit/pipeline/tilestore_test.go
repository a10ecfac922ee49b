package pipeline

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/testkit/load"
)

// tileStore stores at y·w + x, for threads inside of w × h.
const tileStore = `.version 8.0
.target sm_90
.address_size 64
.visible .entry kernel(.param .u64 out, .param .u32 w, .param .u32 h)
{
	.reg .pred %p<3>;
	.reg .b32 %r<20>;
	.reg .b64 %rd<5>;
	ld.param.u64 %rd1, [out];
	ld.param.u32 %r1, [w];
	ld.param.u32 %r2, [h];
	mov.u32 %r3, %tid.x;
	mov.u32 %r4, %tid.y;
	mov.u32 %r5, %ctaid.x;
	mov.u32 %r6, %ctaid.y;
	mad.lo.s32 %r7, %r5, 16, %r3;
	mad.lo.s32 %r8, %r6, 16, %r4;
	setp.ge.s32 %p1, %r7, %r1;
	setp.ge.s32 %p2, %r8, %r2;
	or.pred %p1, %p1, %p2;
	@%p1 ret;
	mad.lo.s32 %r9, %r8, %r1, %r7;
	mul.wide.s32 %rd2, %r9, 4;
	add.u64 %rd2, %rd1, %rd2;
	st.global.u32 [%rd2], %r9;
	ret;
}
`

// TestTileStore: a warp that is two rows of a block stores two pieces, and what the interpreter stores, wherever the picture ends.
func TestTileStore(t *testing.T) {
	m, err := load.Text("kernel", tileStore)
	if err != nil {
		t.Fatal(err)
	}
	code, err := decoded(m, m.Func("kernel"), ir.LaunchShape{BlockX: 16, BlockY: 16, BlockZ: 1})
	if err != nil {
		t.Fatal(err)
	}
	isel, err := jit.Stage(code, "jit-isel", jit.AVX2)
	if hot, _, _ := strings.Cut(isel, " cold("); err != nil || !strings.Contains(hot, "test pieces") {
		t.Errorf("%v: no pieces in\n%s", err, hot)
	}
	want := tilesOf(t, &ptxvm.DeviceConfig{Engine: ptxvm.Interp}, nil)
	backEnds(t, func(t *testing.T, b backEnd) {
		got := tilesOf(t, &ptxvm.DeviceConfig{Engine: ptxvm.JIT}, b.with(&jit.PipelineC{}, map[string]error{}))
		if !slices.Equal(got, want) {
			t.Errorf("got\n%v, the interpreter\n%v", got, want)
		}
	})
}

// tilesOf is what pictures of several sizes leave in memory, the last of which is larger than that.
func tilesOf(t *testing.T, cfg *ptxvm.DeviceConfig, prepare func(*ptxvm.Device) error) (out []string) {
	cfg.Memory, cfg.Workers = 1<<20, 1
	d, err := ptxvm.NewDevice(cfg)
	if errors.Is(err, ptxvm.ErrNoJIT) {
		t.Skip("no compiled code on this processor")
	}
	defer d.Close()
	if prepare != nil {
		err = errors.Join(err, prepare(d))
	}
	m, err2 := ptxvm.Compile("tile.ptx", []byte(tileStore), nil)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	p, err := d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	k, err := p.Kernel("kernel")
	if err != nil {
		t.Fatal(err)
	}
	const bytes = 4 * 48 * 40
	b, err := ptxvm.Upload(d, make([]byte, bytes))
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range [][2]uint32{{48, 40}, {48, 40}, {48, 40}, {47, 33}, {16, 16}, {17, 1}, {1, 17}, {31, 31}, {0, 9}, {48, 41}} {
		b.WriteAt(make([]byte, bytes), 0)
		_, err := k.Launch(context.Background(), ptxvm.Launch{Grid: ptxvm.Dim3{X: 3, Y: 3}, Block: ptxvm.Dim3{X: 16, Y: 16}}, b, size[0], size[1])
		var memory [bytes]byte
		b.ReadAt(memory[:], 0)
		out = append(out, fmt.Sprintf("%v %v %x", size, err, sha256.Sum256(memory[:])))
	}
	return out
}
