package debug_test

import (
	"testing"
	"time"

	"ptxvm.invalid/ptxvm/internal/debug"
	"ptxvm.invalid/ptxvm/internal/testkit/stepping"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// long is a kernel of 3·10⁶ warp instructions, 10⁸ lane operations, in eight warps.
const long = `.version 8.0
.target sm_90
.address_size 64
.visible .entry long(.param .u64 out) {
	.reg .u64 %p;
	.reg .u32 %i, %t;
	.reg .f32 %f, %g;
	.reg .pred %more;
	ld.param.u64 %p, [out];
	mov.u32 %t, %tid.x;
	mad.wide.u32 %p, %t, 4, %p;
	mov.u32 %i, 0;
	cvt.rn.f32.u32 %f, %t;
LOOP:
	fma.rn.f32 %f, %f, 0f3f7ff000, 0f3f800000;
	ld.global.f32 %g, [%p];
	add.f32 %g, %g, %f;
	st.global.f32 [%p], %g;
	xor.b32 %t, %t, %i;
	add.u32 %i, %i, 1;
	setp.lt.u32 %more, %i, 48828;
	@%more bra LOOP;
	ret;
}
`

// BenchmarkBack goes back one instruction near the end of a launch of 10⁸ lane operations, as fast as that goes: each step runs the
// launch again. BenchmarkBackTyped waits between the steps, as who types does.
func BenchmarkBack(b *testing.B) { benchmarkBack(b, 0) }

func BenchmarkBackTyped(b *testing.B) { benchmarkBack(b, 3*time.Second) }

func benchmarkBack(b *testing.B, between time.Duration) {
	s := stepping.Open(b, stepping.Target(b, long, "long", vm.Launch{Block: vm.Dim3{X: 256}}, 1024))
	if _, err := s.Continue(); err != nil {
		b.Fatal(err)
	}
	n, _ := s.Length()
	if n < 3e6 {
		b.Fatal(n)
	}
	if _, err := s.Goto(n - 2); err != nil {
		b.Fatal(err)
	}
	s.Mode = debug.ByWarp
	for b.Loop() {
		b.StopTimer()
		time.Sleep(between)
		b.StartTimer()
		if _, err := s.ReverseStepInstruction(false); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkForward runs the whole launch.
func BenchmarkForward(b *testing.B) {
	s := stepping.Open(b, stepping.Target(b, long, "long", vm.Launch{Block: vm.Dim3{X: 256}}, 1024))
	for b.Loop() {
		if _, err := s.Start(); err != nil {
			b.Fatal(err)
		}
		if _, err := s.Continue(); err != nil {
			b.Fatal(err)
		}
	}
}
