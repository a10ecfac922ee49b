package pipeline

// This file has accesses that are not weak, fences, and what machine code reads of the launch: parameters narrower than a word, special registers.

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
)

// strongForms are statements as atomicForms has them.
var strongForms = []string{
	"ld.acquire.gpu.SP.u32 %r10, [AD]", "st.release.gpu.SP.u32 [AD], %r3", "ld.relaxed.sys.SP.u64 %rd10, [AD]", "st.relaxed.cta.SP.u64 [AD], %rd8", "ld.volatile.SP.f32 %r10, [AD+4]",
	"st.volatile.SP.b8 [AD+1], %r3", "ld.volatile.SP.s8 %r10, [AD]", "st.volatile.SP.u16 [AD], %r3", "ld.relaxed.gpu.SP.s16 %r10, [AD+2]", "ld.acquire.sys.SP.s32 %rd10, [AD+4]",
	"membar.gl", "fence.acq_rel.sys", "fence.sc.gpu", "membar.cta", "fence.proxy.alias",
}

// launchForms read the launch.
var launchForms = []string{
	"ld.param.u8 %r10, [n]", "ld.param.s8 %r10, [n+1]", "ld.param.s16 %r10, [s+2]", "ld.param.u16 %r10, [s]", "ld.param.s32 %rd10, [n]", "ld.param.u64 %rd10, [out]",
	"mov.u32 %r10, %warpid", "mov.u32 %r10, %nctaid.z", "mov.u32 %r10, %nctaid.x", "mov.u32 %r10, %dynamic_smem_size", "mov.u32 %r10, %nsmid", "mov.u32 %r10, %cluster_nctaid.x", "mov.u32 %r10, %nclusterid.y",
	"mov.u32 %r10, %clusterid.x", "mov.pred %p5, %is_explicit_cluster; selp.u32 %r10, 3, 4, %p5", "mov.u32 %r10, %lanemask_ge",
}

// TestStrong holds them to the interpreter; no handler executes one.
func TestStrong(t *testing.T) {
	backEnds(t, func(t *testing.T, b backEnd) {
		n := 0
		for some := range slices.Chunk(append(slices.Clone(strongForms), launchForms...), 8) {
			for _, mask := range []string{"all", "guard", "some", "one", "none"} {
				for k, place := range []string{"own", "few", "one"} {
					space := []string{"global", "shared"}[(n+k)%2]
					if n++; *full || b.own && n%2 == 0 || n%23 == 0 {
						b.holdAtomics(t, space+" "+mask+" "+some[0], atomicKernel(some, space, place, perStatement(atomicMasks[mask])), atomicRun(len(some), 0))
					}
				}
			}
		}
	})
}

// passing has one CTA count in two words, one behind the other, and others look that the second is never before the first.
const passing = `.version 8.0
.target sm_90
.address_size 64
.visible .entry passing(.param .u64 out)
{
	.reg .pred %p<3>;
	.reg .b32 %r<9>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, 0; mov.u32 %r8, 0;
	mov.u32 %r2, %ctaid.x; mov.u32 %r3, %tid.x;
	mad.lo.u32 %r4, %r2, 32, %r3; mul.wide.u32 %rd2, %r4, 4; add.s64 %rd2, %rd2, %rd1;
	setp.ne.u32 %p1, %r2, 0;
L:	add.u32 %r1, %r1, 1;
	@%p1 bra LOOK;
	STORE [%rd1], %r1;
	STORE [%rd1+64], %r1;
	bra N;
LOOK:	LOAD %r5, [%rd1+64];
	LOAD %r6, [%rd1];
	setp.lt.u32 %p2, %r6, %r5;
	@%p2 add.u32 %r8, %r8, 1;
N:	setp.lt.u32 %p2, %r1, 20000;
	@%p2 bra L;
	st.global.u32 [%rd2+128], %r8;
	ret;
}
`

// TestPassing: nothing passes where CTAs run at the same time.
func TestPassing(t *testing.T) {
	buf := &corpus.Buffer{Name: "out", Elem: corpus.U32, Init: make([]byte, 128+4*4*32)}
	r := &corpus.Run{Buffers: []*corpus.Buffer{buf}, Launches: []corpus.Launch{{Kernel: "passing", Grid: [3]int{4, 1, 1}, Block: [3]int{32, 1, 1}, Args: []corpus.Arg{{Buffer: buf}}}}}
	for _, by := range [][2]string{{"st.volatile.global.u32", "ld.volatile.global.u32"}, {"st.release.gpu.global.u32", "ld.acquire.gpu.global.u32"}, {"membar.gl; st.global.u32", "membar.gl; ld.global.u32"}} {
		text := strings.NewReplacer("STORE", by[0], "LOAD", by[1]).Replace(passing)
		backEnds(t, func(t *testing.T, b backEnd) {
			if b.eval {
				t.Skip("it executes one effect after the other")
			}
			d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Workers: 4, Memory: 1 << 26, Engine: ptxvm.JIT})
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			refused := map[string]error{}
			if err := b.with(&jit.PipelineC{}, refused)(d); err != nil {
				t.Fatal(err)
			}
			for i, o := range runOn(t, d, text, r, 3) {
				for lane := range 4 * 32 {
					if n := binary.LittleEndian.Uint32(o.memory[0][128+4*lane:]); n != 0 || o.err != "" || refused["passing"] != nil {
						t.Fatalf("%s, run %d: lane %d has seen %d words before those in front of them; %s, %v", by[1], i, lane, n, o.err, refused["passing"])
					}
				}
			}
		})
	}
}
