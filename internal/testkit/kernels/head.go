package kernels

import (
	"fmt"
	"strings"
)

// Sizes of buffers and of registers' ranges.
const (
	inBytes   = 1 << 21 // in points to the middle of it
	outArea   = 1 << 15 // of one store
	outAreas  = 24      // stores of a kernel
	ownBytes  = 128     // what a thread writes at the end
	maxX      = 256     // threads of a block in x
	maxYZ     = 16      // in y, and in z
	threads   = 256     // of a block
	gridX     = 3
	gridY     = 2
	turns     = 23 // the parameter n
	tileBytes = 8192
	localWord = 16 // words of local memory
)

const (
	indices  = 12 // registers %i: 6 for straight code, 3 for each depth of loops
	values   = 8  // %v 32 bits
	wides    = 4  // %w 64 bits
	singles  = 5  // %f
	doubles  = 2  // %e
	preds    = 4  // %p
	pointers = 3  // %a
)

// head declares the registers and gives each a value.
var head = fmt.Sprintf(`.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)
{
.shared .align 16 .b8 tile[%d];
.local .align 16 .b8 own[%d];
.reg .b32 %%tx, %%ty, %%tz, %%nx, %%ny, %%cx, %%cy, %%id, %%cta, %%g, %%n, %%lane, %%tile, %%own, %%s<4>, %%i<%d>, %%k<40>, %%v<%d>;
.reg .b64 %%in, %%out, %%mine, %%d<4>, %%a<%d>, %%w<%d>;
.reg .b16 %%h<2>; .reg .f32 %%f<%d>; .reg .f64 %%e<%d>; .reg .pred %%p<%d>, %%q, %%r;
ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out]; ld.param.u32 %%n, [n];
mov.u32 %%tx, %%tid.x; mov.u32 %%ty, %%tid.y; mov.u32 %%tz, %%tid.z; mov.u32 %%nx, %%ntid.x; mov.u32 %%ny, %%ntid.y;
mov.u32 %%cx, %%ctaid.x; mov.u32 %%cy, %%ctaid.y; mov.u32 %%tile, tile; mov.u32 %%own, own;
mad.lo.u32 %%id, %%tz, %%ny, %%ty; mad.lo.u32 %%id, %%id, %%nx, %%tx; and.b32 %%lane, %%id, 31;
mad.lo.u32 %%cta, %%cy, %d, %%cx; mad.lo.u32 %%g, %%cta, %d, %%id;
`, tileBytes, 4*localWord, indices, values, pointers, wides, singles, doubles, preds, gridX, threads) + first()

// first gives registers their first values.
func first() string {
	var b strings.Builder
	for i := range indices {
		fmt.Fprintf(&b, "mov.u32 %%i%d, %s; ", i, []string{"%tx", "%id", "%g", "%ty", "3", "%lane"}[i%6])
	}
	for i := range values {
		fmt.Fprintf(&b, "mad.lo.u32 %%v%d, %%g, %d, %d; ", i, 2*i+1, 0x9e3779b9>>i)
	}
	for i := range wides {
		fmt.Fprintf(&b, "mul.wide.u32 %%w%d, %%v%d, %%v%d; ", i, i, i+1)
	}
	for i := range singles {
		fmt.Fprintf(&b, "cvt.rn.f32.s32 %%f%d, %%v%d; ", i, i)
	}
	for i := range doubles {
		fmt.Fprintf(&b, "cvt.rn.f64.s32 %%e%d, %%v%d; ", i, i)
	}
	for i := range pointers {
		fmt.Fprintf(&b, "mov.u64 %%a%d, %%in; ", i)
	}
	for i := range preds {
		fmt.Fprintf(&b, "setp.%s %%p%d, %s; ", []string{"lt.u32", "ge.s32", "eq.u32", "ne.u32"}[i%4], i, []string{"%tx, 11", "%v0, 0", "%cx, 1", "%ty, 0"}[i%4])
	}
	b.WriteString("cvt.u16.u32 %h0, %v0; cvt.u16.u32 %h1, %v1; mul.wide.u32 %d0, %g, " + fmt.Sprint(ownBytes) + "; add.u64 %mine, %out, %d0;\n")
	return b.String()
}

// headLocal gives local memory its first values.
var headLocal = func() string {
	var b strings.Builder
	for i := range localWord {
		fmt.Fprintf(&b, "st.local.u32 [%%own+%d], %%v%d; ", 4*i, i%values)
	}
	return b.String() + "\n"
}()

// tail writes every value.
var tail = func() string {
	var b strings.Builder
	at := 0
	put := func(format string, i, size int) {
		fmt.Fprintf(&b, "st.global."+format+"; ", at, i)
		at += size
	}
	for i := range values {
		put("u32 [%%mine+%d], %%v%d", i, 4)
	}
	for i := range wides {
		put("u64 [%%mine+%d], %%w%d", i, 8)
	}
	for i := range doubles {
		put("f64 [%%mine+%d], %%e%d", i, 8)
	}
	for i := range singles {
		put("f32 [%%mine+%d], %%f%d", i, 4)
	}
	b.WriteString("selp.u32 %v0, 1, 0, %p0; selp.u32 %v1, 2, 0, %p1; or.b32 %v0, %v0, %v1; st.global.u32 [%mine+124], %v0;\nret;\n}\n")
	return b.String()
}()
