package jit_test

import (
	"bytes"
	"testing"

	"ptxvm.invalid/ptxvm/internal/host"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// beginBodies follow kernelHeader: what a warp finds when it begins in the registers of one of another launch.
var beginBodies = map[string]string{
	"short":   "mul.lo.u32 %r10, %r9, 7; mov.u32 %r11, %nctaid.x; mad.lo.u32 %r10, %r11, 100, %r10; add.u32 %r10, %r10, %r1; st.global.u32 [%rd3], %r10; ret;",
	"ordered": "mul.lo.u32 %r10, %r9, 7; mov.u32 %r11, %nctaid.x; mad.lo.u32 %r10, %r11, 100, %r10; add.u32 %r10, %r10, %r1; bar.sync 0; mad.lo.u32 %r12, %r12, 3, %r10; st.global.u32 [%rd3], %r12; ret;",
	"lanes":   "mov.u32 %r10, %tid.y; mov.u32 %r11, %tid.z; mad.lo.u32 %r10, %r11, 100, %r10; mad.lo.u32 %r10, %r10, 100, %r2; mad.lo.u32 %r10, %r10, 100, %r9; cvt.rn.f32.u32 %f1, %r10; bar.sync 0; st.global.f32 [%rd3], %f1; ret;",
	"grid":    "mov.u32 %r10, %gridid; mov.u32 %r11, %ctaid.y; add.u32 %r10, %r10, %r11; bar.sync 0; st.global.u32 [%rd3], %r10; ret;",
	"sizes":   "mov.u32 %r10, %dynamic_smem_size; mov.u32 %r11, %total_smem_size; mad.lo.u32 %r10, %r10, 3, %r11; st.global.u32 [%rd3], %r10; ret;",
	"leaves":  "setp.lt.u32 %p1, %r9, 7; @%p1 bra C; nanosleep.u32 1; C: mul.lo.u32 %r10, %r9, 7; add.u32 %r10, %r10, %r1; st.global.u32 [%rd3], %r10; ret;",
	"parts":   "and.b32 %r10, %r1, 1; setp.eq.u32 %p1, %r10, 0; @%p1 bra B; setp.lt.u32 %p1, %r9, 7; @%p1 bra C; nanosleep.u32 1; bra C; B: add.u32 %r9, %r9, 1000; C: mul.lo.u32 %r10, %r9, 7; st.global.u32 [%rd3], %r10; ret;",
}

// TestBegin launches the same code with other parameters, grids and blocks on one device.
func TestBegin(t *testing.T) {
	const size = 1 << 15
	shapes := []struct {
		grid, block [3]uint32
		n           uint32 // and bytes of dynamic shared memory
	}{
		{[3]uint32{4, 1, 1}, [3]uint32{128, 1, 1}, 5}, {[3]uint32{4, 1, 1}, [3]uint32{128, 1, 1}, 6}, {[3]uint32{2, 3, 1}, [3]uint32{128, 1, 1}, 7},
		{[3]uint32{3, 1, 1}, [3]uint32{8, 4, 4}, 8}, {[3]uint32{3, 1, 1}, [3]uint32{16, 8, 1}, 8}, {[3]uint32{1, 1, 1}, [3]uint32{33, 1, 1}, 9}, {[3]uint32{4, 1, 1}, [3]uint32{128, 1, 1}, 4},
		{[3]uint32{1, 1, 1}, [3]uint32{1, 1, 1}, 3}, {[3]uint32{4, 1, 1}, [3]uint32{33, 1, 1}, 2}, {[3]uint32{4, 1, 1}, [3]uint32{33, 1, 1}, 2},
	}
	for name, body := range beginBodies {
		t.Run(name, func(t *testing.T) {
			run := func(compile host.Compiler) (all []byte) {
				l := newLaboratory(t, "k.ptx", kernelHeader+body+"\n}\n")
				buf, _ := l.arena.Alloc(size, mem.Info{Label: "buf"})
				l.keep = compile != nil // the interpreter has new code for each, of which nothing is left
				for _, s := range shapes {
					clear(l.arena.Bytes(buf, size))
					if _, err := l.launch(t, "k", s.grid, s.block, func(x *host.Launch) { x.Compile, x.Shared, x.Dynamic = compile, s.n, s.n }, buf, s.n); err != nil {
						t.Fatal(err)
					}
					all = append(all, l.arena.Bytes(buf, size)...)
				}
				return all
			}
			want := run(nil)
			for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
				if got := run(engine(t, jit.Options{Vectors: v}).Install); !bytes.Equal(got, want) {
					for i := range want {
						if got[i] != want[i] {
							t.Errorf("%v: launch %d, byte %d is %d, the interpreter's %d", v, i/size, i%size, got[i], want[i])
							break
						}
					}
				}
			}
		})
	}
}
