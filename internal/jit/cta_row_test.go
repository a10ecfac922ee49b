package jit_test

import (
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/host"
	"ptxvm.invalid/ptxvm/internal/jit"
)

// rowEdges are kernels whose CTAs in a row of the grid are done together, or only some of them, or that must not be.
var rowEdges = []struct {
	ctaEdge
	none bool // no code does them together
}{
	{ctaEdge: ctaEdge{name: "all", second: true, width: 160, grid: [3]uint32{9, 3, 1}, block: square, body: "ld.global.f32 %f1, [%rd3]; ld.global.f32 %f2, [%rd3+4]; fma.rn.f32 %f1, %f1, %f9, %f2; add.s64 %rd4, %rd20, %rd2; st.global.f32 [%rd4], %f1;"}},
	{ctaEdge: ctaEdge{name: "rows of 32", second: true, width: 300, grid: [3]uint32{9, 3, 1}, block: [3]uint32{32, 8, 1}, body: "ld.global.f32 %f1, [%rd3]; ld.global.f32 %f2, [%rd3+4]; fma.rn.f32 %f1, %f1, %f9, %f2; add.s64 %rd4, %rd20, %rd2; st.global.f32 [%rd4], %f1;"}},
	{ctaEdge: ctaEdge{name: "the picture ends", second: true, width: 100, height: 40, grid: [3]uint32{9, 3, 1}, block: square, body: "setp.ge.s32 %p1, %r1, %r8; @%p1 exit; setp.ge.s32 %p2, %r2, %r9; @%p2 exit; ld.global.u32 %r11, [%rd3]; add.u32 %r11, %r11, %r5; add.s64 %rd4, %rd20, %rd2; st.global.u32 [%rd4], %r11;"}},
	{ctaEdge: ctaEdge{name: "the picture begins", second: true, width: 200, grid: [3]uint32{9, 3, 1}, block: square, body: "add.s32 %r12, %r1, -37; setp.lt.s32 %p1, %r12, 0; @%p1 exit; ld.global.u32 %r11, [%rd3]; add.u32 %r11, %r11, %r5; add.s64 %rd4, %rd20, %rd2; st.global.u32 [%rd4], %r11;"}},
	{ctaEdge: ctaEdge{name: "rows that overlap", second: true, width: 40, grid: [3]uint32{9, 2, 1}, block: square, body: "ld.global.u32 %r11, [%rd3]; mad.lo.u32 %r11, %r5, 77, %r11; add.s64 %rd4, %rd20, %rd2; st.global.u32 [%rd4], %r11;"}},
	{ctaEdge: ctaEdge{name: "rows of no length", second: true, width: 0xffffffff, grid: [3]uint32{9, 1, 1}, block: square, body: "add.s32 %r12, %r8, 1; mad.lo.s32 %r13, %r12, %r4, %r1; mul.wide.s32 %rd5, %r13, 4; add.s64 %rd6, %rd1, %rd5; ld.global.u32 %r11, [%rd6]; mad.lo.u32 %r11, %r5, 77, %r11; add.s64 %rd4, %rd20, %rd5; st.global.u32 [%rd4], %r11;"}},
	{ctaEdge: ctaEdge{name: "in place", width: 160, grid: [3]uint32{9, 2, 1}, block: square, body: "ld.global.u32 %r11, [%rd3+-1216]; mad.lo.u32 %r11, %r11, 3, %r5; st.global.u32 [%rd3], %r11;"}},
	{ctaEdge: ctaEdge{name: "in place, one of two", second: true, width: 160, grid: [3]uint32{9, 2, 1}, block: square, body: "add.s64 %rd4, %rd20, %rd2; ld.global.u32 %r11, [%rd3]; ld.global.u32 %r12, [%rd4+-1216]; mad.lo.u32 %r11, %r11, 3, %r12; st.global.u32 [%rd4], %r11;"}},
	{none: true, ctaEdge: ctaEdge{name: "one place for all", second: true, grid: flat, block: square, body: "ld.global.u32 %r11, [%rd3]; mul.wide.u32 %rd5, %r5, 4; add.s64 %rd4, %rd20, %rd5; st.global.u32 [%rd4], %r11;"}},
	{none: true, ctaEdge: ctaEdge{name: "CTAs that overlap", second: true, grid: flat, block: [3]uint32{8, 32, 1}, body: "mad.lo.u32 %r12, %r54, 100, %r5; mul.wide.u32 %rd5, %r12, 4; add.s64 %rd6, %rd1, %rd5; ld.global.u32 %r11, [%rd6]; mad.lo.u32 %r11, %r5, 77, %r11; add.s64 %rd4, %rd20, %rd5; st.global.u32 [%rd4], %r11;"}},
	{none: true, ctaEdge: ctaEdge{name: "values of CTAs", second: true, width: 160, grid: [3]uint32{9, 2, 1}, block: square, body: "ld.global.u32 %r11, [%rd3]; mad.lo.u32 %r11, %r11, 3, %r54; add.s64 %rd4, %rd20, %rd2; st.global.u32 [%rd4], %r11;"}},
	{none: true, ctaEdge: ctaEdge{name: "multiprocessors", second: true, grid: [3]uint32{150, 1, 1}, block: square, body: "mov.u32 %r13, %smid; mad.lo.u32 %r12, %r13, 256, %r5; mul.wide.u32 %rd5, %r12, 4; add.s64 %rd6, %rd1, %rd5; ld.global.u32 %r11, [%rd6]; add.s64 %rd4, %rd20, %rd5; st.global.u32 [%rd4], %r11;"}},
	{ctaEdge: ctaEdge{name: "more CTAs than multiprocessors", second: true, width: 4800, grid: [3]uint32{200, 2, 1}, block: [3]uint32{32, 2, 1}, body: "setp.ge.s32 %p1, %r1, %r8; add.s64 %rd4, %rd20, %rd2; @%p1 bra A; ld.global.u32 %r11, [%rd3]; add.u32 %r11, %r11, %r5; st.global.u32 [%rd4], %r11; exit;\nA: mov.u32 %r12, %smid; st.global.u32 [%rd4], %r12;"}},
	{ctaEdge: ctaEdge{name: "backwards", second: true, grid: [3]uint32{30, 1, 1}, block: [3]uint32{16, 16, 1}, body: "mad.lo.s32 %r12, %r54, -256, %r5; add.s32 %r12, %r12, 7680; mul.wide.s32 %rd5, %r12, 4; add.s64 %rd6, %rd1, %rd5; ld.global.u32 %r11, [%rd6]; mad.lo.u32 %r11, %r5, 77, %r11; add.s64 %rd4, %rd20, %rd5; st.global.u32 [%rd4], %r11;"}},
	{ctaEdge: ctaEdge{name: "last lane outside", second: true, size: 65536, grid: [3]uint32{60, 1, 1}, block: square, body: "mad.lo.u32 %r12, %r54, 256, %r5; mul.wide.u32 %rd5, %r12, 4; add.s64 %rd6, %rd1, %rd5; ld.global.u32 %r11, [%rd6]; add.s64 %rd4, %rd20, %rd5; st.global.u32 [%rd4], %r11;"}},
	{ctaEdge: ctaEdge{name: "last store outside", second: true, size: 65536, grid: [3]uint32{60, 1, 1}, block: square, body: "mad.lo.u32 %r12, %r54, 256, %r5; mul.wide.u32 %rd5, %r12, 4; add.s64 %rd6, %rd1, %rd5; ld.global.u32 %r11, [%rd6]; add.s64 %rd4, %rd20, %rd5; st.global.u32 [%rd4+4], %r11;"}},
	{ctaEdge: ctaEdge{name: "first lane outside", second: true, size: 65536, grid: [3]uint32{60, 1, 1}, block: square, body: "mad.lo.s32 %r12, %r54, -256, %r5; mul.wide.s32 %rd5, %r12, 4; add.s64 %rd6, %rd1, %rd5; ld.global.u32 %r11, [%rd6]; add.s64 %rd4, %rd20, %rd5; st.global.u32 [%rd4], %r11;"}},
	{ctaEdge: ctaEdge{name: "an index that wraps", second: true, height: 0x7ffffc00, grid: [3]uint32{20, 1, 1}, block: square, body: "mad.lo.s32 %r12, %r54, 256, %r5; add.s32 %r13, %r12, %r9; setp.lt.s32 %p1, %r13, 0; @%p1 exit; sub.s32 %r12, %r13, %r9; mul.wide.s32 %rd5, %r12, 4; add.s64 %rd6, %rd1, %rd5; ld.global.u32 %r11, [%rd6]; add.s64 %rd4, %rd20, %rd5; st.global.u32 [%rd4], %r11;"}},
	{ctaEdge: ctaEdge{name: "two workers", second: true, workers: 2, grid: [3]uint32{150, 1, 1}, block: [3]uint32{16, 4, 1}, body: "mad.lo.u32 %r12, %r54, 64, %r5; mul.wide.u32 %rd5, %r12, 4; add.s64 %rd6, %rd1, %rd5; ld.global.u32 %r11, [%rd6]; mad.lo.u32 %r11, %r5, 77, %r11; add.s64 %rd4, %rd20, %rd5; st.global.u32 [%rd4], %r11;"}},
	{ctaEdge: ctaEdge{name: "fuel", second: true, workers: 1, grid: [3]uint32{300, 1, 1}, block: [3]uint32{16, 4, 1}, launch: func(x *host.Launch) { x.MaxSteps = 9000 }, body: "mad.lo.u32 %r12, %r54, 64, %r5; mul.wide.u32 %rd5, %r12, 4; add.s64 %rd6, %rd1, %rd5; ld.global.u32 %r11, [%rd6]; add.s64 %rd4, %rd20, %rd5; st.global.u32 [%rd4], %r11;"}},
}

// TestCTARows runs them.
func TestCTARows(t *testing.T) {
	for i := range rowEdges {
		e := &rowEdges[i]
		t.Run(e.name, func(t *testing.T) {
			e.compare(t)
			l := newLaboratory(t, "k.ptx", edgeHeader+e.body+"\nret;\n}\n")
			for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
				l.decoder = nil
				if has := strings.Contains(e.listing(t, l, v), "CTAs in a row"); has == e.none {
					t.Errorf("%v: CTAs in a row at once: %v", v, has)
				}
			}
		})
	}
}
