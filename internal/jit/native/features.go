package native

import "golang.org/x/sys/cpu"

// HasAVX2 reports whether the processor has what all compiled code needs: AVX2, and FMA, BMI1, BMI2 and POPCNT besides.
func HasAVX2() bool {
	x := &cpu.X86
	return x.HasAVX2 && x.HasFMA && x.HasBMI1 && x.HasBMI2 && x.HasPOPCNT
}

// HasAVX512 reports whether it has the AVX-512 that code is made for: F, BW, DQ, VL, CD, VPOPCNTDQ, VBMI and VNNI.
func HasAVX512() bool {
	x := &cpu.X86
	return x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL && x.HasAVX512CD && x.HasAVX512VPOPCNTDQ &&
		x.HasAVX512VBMI && x.HasAVX512VNNI
}
