package sched

// Addresses of 32 bits and displacements: their sum wraps modulo 2^32 (RATIONALE.md), for every instruction
// that takes them, in both engines.

import (
	"fmt"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
)

const wrapModule = `.version 8.6
.target sm_90
.address_size 64
.shared .align 16 .b8 s[1024];
.shared .align 16 .b8 t[1024];
.shared .align 8 .b64 bar;
.visible .entry k(.param .u64 data, .param .u32 less)
{
	.local .align 16 .b8 l[256];
	.reg .pred %p;
	.reg .b16 %h;
	.reg .b32 %r<8>, %a, %b, %c, %l, %v, %less, %lane, %m, %same;
	.reg .b64 %d<8>, %q, %g;
	.reg .f32 %f<4>;
	ld.param.u64 %g, [data];
	ld.param.u32 %less, [less];
	mov.u32 %lane, %laneid;
	mul.wide.u32 %q, %lane, 4;
	add.u64 %g, %g, %q;
	mul.lo.u32 %v, %lane, 3;
	shl.b32 %a, %lane, 2;
	mov.u32 %l, l;
	add.u32 %l, %l, %a;
	mov.u32 %b, t;
	add.u32 %b, %b, %a;
	mov.u32 %r0, s;
	mad.lo.u32 %c, %lane, 16, %r0;
	add.u32 %a, %a, %r0;
	st.shared.u32 [%a], 0;
	st.shared.v4.u32 [%c+512], {0, 0, 0, 0};
	mov.u32 %same, s;
	mov.u32 %m, bar;
	sub.u32 %a, %a, %less;
	sub.u32 %b, %b, %less;
	sub.u32 %c, %c, %less;
	sub.u32 %l, %l, %less;
	sub.u32 %m, %m, %less;
	sub.u32 %same, %same, %less;
	bar.warp.sync -1;
	BODY
	st.global.u32 [%g], %r7;
	ret;
}
`

// wraps are bodies that store what lane i gives, 3·i where nothing else is said, at addresses that are less
// too small, and leave it in %r7. + stands for the displacement.
var wraps = []struct {
	body string
	want func(i uint32) uint32
}{
	{"st.shared.u32 [%a+], %v; ld.shared.u32 %r7, [%a+];", nil},
	{"st.volatile.shared.u32 [%a+], %v; ld.relaxed.cta.shared.u32 %r7, [%a+];", nil},
	{"st.shared::cluster.u32 [%a+], %v; ld.shared::cluster.u32 %r7, [%a+];", nil},
	{"cvt.u16.u32 %h, %v; st.shared.u16 [%a+], %h; ld.shared.u16 %r7, [%a+];", nil},
	{"st.shared.v2.u32 [%c+], {%v, %lane}; ld.shared.v2.u32 {%r7, %r6}, [%c+]; add.u32 %r7, %r7, %r6; sub.u32 %r7, %r7, %lane;", nil},
	{"st.shared.v4.u32 [%c+], {1, 2, 3, %v}; ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%c+];", nil},
	{"mov.b64 %d0, {%v, %lane}; st.shared.u64 [%c+], %d0; ld.shared.u64 %d1, [%c+]; mov.b64 {%r7, %r6}, %d1;", nil},
	{"st.local.u32 [%l+], %v; ld.local.u32 %r7, [%l+];", nil},
	{"atom.shared.add.u32 %r6, [%a+], %v; ld.shared.u32 %r7, [%a+];", nil},
	{"red.shared.add.u32 [%a+], %v; ld.shared.u32 %r7, [%a+];", nil},
	{"atom.shared.exch.b32 %r6, [%a+], %v; atom.shared.cas.b32 %r7, [%a+], %v, 0;", nil},
	{"atom.shared.max.u32 %r6, [%a+], %v; ld.shared.u32 %r7, [%a+];", nil},
	{"red.shared::cluster.add.u32 [%a+], %v; ld.shared.u32 %r7, [%a+];", nil},
	{"st.global.u32 [%g], %v; cp.async.ca.shared.global [%a+], [%g], 4; cp.async.wait_all; ld.shared.u32 %r7, [%a+];", nil},
	{"ld.shared.u32 %r7, [%same+]; atom.shared.add.u32 %r6, [%same+], 1; bar.warp.sync -1; ld.shared.u32 %r7, [%same+];", func(uint32) uint32 { return 32 }},
	{`setp.eq.u32 %p, %lane, 0;
	@%p mbarrier.init.shared.b64 [%m+], 32;
	bar.warp.sync -1;
	mbarrier.arrive.shared.b64 %d0, [%m+];
	W: mbarrier.try_wait.shared.b64 %p, [%m+], %d0;
	@!%p bra W;
	mbarrier.test_wait.parity.shared.b64 %p, [%m+], 0;
	selp.u32 %r7, 5, 6, %p;`, func(uint32) uint32 { return 5 }},
	// Loops: the address of all lanes, of a row, and one that moves.
	{`mov.u32 %r7, 0; mov.u32 %r6, 0; st.shared.u32 [%a+], %v; bar.warp.sync -1;
	L: ld.shared.u32 %r5, [%a+]; add.u32 %r7, %r7, %r5;
	ld.shared.u32 %r5, [%same+]; add.u32 %r7, %r7, %r5;
	add.u32 %r6, %r6, 1; setp.lt.u32 %p, %r6, 200; @%p bra L;`, func(i uint32) uint32 { return 600 * i }},
	{`mov.u32 %r7, 0; mov.u32 %r6, 0; st.shared.u32 [%a+], %v; bar.warp.sync -1;
	L: ld.shared.u32 %r5, [%same+]; add.u32 %r7, %r7, %r5;
	add.u32 %same, %same, 4;
	add.u32 %r6, %r6, 1; setp.lt.u32 %p, %r6, 32; @%p bra L;`, func(i uint32) uint32 { return 3 * 31 * 16 }},
}

// TestWrap gives displacements of both signs; 0 is the control.
func TestWrap(t *testing.T) {
	for _, w := range wraps {
		t.Run(w.body, func(t *testing.T) {
			t.Parallel()
			for _, less := range []int64{0, 256, 4096, -16, -1 << 20, 1<<31 - 16, 1 << 30} {
				src := strings.ReplaceAll(wrapModule, "BODY", strings.ReplaceAll(w.body, "+]", fmt.Sprintf("+%d]", less)))
				for _, engine := range []ptxvm.Engine{ptxvm.Interp, ptxvm.JIT} {
					got := make([]uint32, 32)
					if !runWarp(t, engine, src, got, uint32(less)) {
						continue
					}
					for i, have := range got {
						want := 3 * uint32(i)
						if w.want != nil {
							want = w.want(uint32(i))
						}
						if have != want {
							t.Errorf("%v, %+d: lane %d has %#x, want %#x", engine, less, i, have, want)
							break
						}
					}
				}
			}
		})
	}
}
