package x86

import "testing"

// BenchmarkAssemble measures an instruction of a loop body as the JIT makes them.
func BenchmarkAssemble(b *testing.B) {
	a := New(make([]byte, 0, 1<<16))
	b.ReportAllocs()
	for i := 0; i < b.N; i += 6 {
		if a.Len() > 1<<15 {
			a.Reset()
		}
		a.VVV(VPADDD, W512, 1, 2, 19)
		a.VVM(VADDPS, W256, 3, 4, At(RDI, 256))
		a.Masked(K3).VVM(VPMULLD, W512, 5, 6, AtIndex(RDI, RCX, 4, 64).Bcast())
		a.MV(VMOVDQU32, W512, At(RDI, 1024), 7)
		a.RI(SUB, S64, RAX, 1)
		a.KVVI(VPCMPUD, W512, K2, 8, 9, 1)
	}
	if a.Err() != nil {
		b.Fatal(a.Err())
	}
}
