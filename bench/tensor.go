package main

// This file measures tcgen05.cp: bytes of tensor memory written a second, on one core.

import (
	"testing"

	"ptxvm.invalid/ptxvm"
)

// tensorModule copies a matrix of 4 KiB `times` times; one thread starts the copies.
const tensorModule = `.version 9.0
.target sm_100a
.address_size 64
.visible .entry copies(.param .u32 times)
{
	.reg .b32 r<8>; .reg .b64 d; .reg .pred p;
	.shared .align 1024 .b8 data[16384];
	.shared .align 4 .b32 slot;
	mov.u32 r1, data;
	tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 32;
	ld.shared.b32 r2, [slot];
	ld.param.u32 r3, [times];
	mov.u32 r4, %tid.x;
	setp.ne.u32 p, r4, 0;
	@p bra DONE;
	shr.u32 r1, r1, 4;
	cvt.u64.u32 d, r1;
	or.b64 d, d, 0x4000404000010000; // rows of 128 bytes, swizzled; groups of 8 rows 1024 bytes apart
AGAIN:
	tcgen05.cp.cta_group::1.128x256b [r2], d;
	tcgen05.cp.cta_group::1.128x256b [r2+8], d;
	tcgen05.cp.cta_group::1.128x256b [r2+16], d;
	tcgen05.cp.cta_group::1.128x256b [r2+24], d;
	sub.u32 r3, r3, 4;
	setp.ne.u32 p, r3, 0;
	@p bra AGAIN;
DONE:
	bar.warp.sync 0xffffffff;
	tcgen05.dealloc.cta_group::1.sync.aligned.b32 r2, 32;
	ret;
}
`

// measureTensorCopy counts the bytes that copies write.
func measureTensorCopy(b *testing.B) float64 {
	const copies = 4096
	d := device(b, ptxvm.DeviceConfig{Workers: 1, Arch: "sm_100a"})
	p, err := load(d, "copies", []byte(tensorModule))
	if err != nil {
		b.Fatal(err)
	}
	k, err := p.Kernel("copies")
	if err != nil {
		b.Fatal(err)
	}
	launches, start := 0, cpuTime()
	for b.Loop() {
		launch(b, k, shape(1, 32), uint32(copies))
		launches++
	}
	return float64(launches*copies*4096) / (cpuTime() - start).Seconds() / 1e9
}
