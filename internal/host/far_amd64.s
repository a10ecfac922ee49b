#include "textflag.h"

// func copyPages(to, from *byte, pieces uint64)
//
// Four pages at a time, a line of each in turn: as many pages are open in memory as its banks serve at once, and the
// stores go past the caches. to is aligned to a line.
TEXT ·copyPages(SB), NOSPLIT, $0-24
	MOVQ to+0(FP), DI
	MOVQ from+8(FP), SI
	MOVQ pieces+16(FP), CX

piece:
	MOVQ $64, DX

line:
	PREFETCHT0 512(SI)
	PREFETCHT0 4608(SI)
	PREFETCHT0 8704(SI)
	PREFETCHT0 12800(SI)
	VMOVDQU    (SI), Y0
	VMOVDQU    32(SI), Y1
	VMOVDQU    4096(SI), Y2
	VMOVDQU    4128(SI), Y3
	VMOVDQU    8192(SI), Y4
	VMOVDQU    8224(SI), Y5
	VMOVDQU    12288(SI), Y6
	VMOVDQU    12320(SI), Y7
	VMOVNTDQ   Y0, (DI)
	VMOVNTDQ   Y1, 32(DI)
	VMOVNTDQ   Y2, 4096(DI)
	VMOVNTDQ   Y3, 4128(DI)
	VMOVNTDQ   Y4, 8192(DI)
	VMOVNTDQ   Y5, 8224(DI)
	VMOVNTDQ   Y6, 12288(DI)
	VMOVNTDQ   Y7, 12320(DI)
	ADDQ       $64, SI
	ADDQ       $64, DI
	DECQ       DX
	JNZ        line
	ADDQ       $12288, SI
	ADDQ       $12288, DI
	DECQ       CX
	JNZ        piece
	SFENCE
	VZEROUPPER
	RET
