package tensors_test

// This file compares copies that are done at once (mode eager) with those of records.

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ptxvm.invalid/ptxvm"
)

// copyBody copies once, by the descriptor %[2]d, from data whose words all differ.
const copyBody = `
	shl.b32 %%r2, %%r0, 2;
	mov.u32 %%r3, data;
FILL:
	mul.lo.u32 %%r4, %%r2, 0x9e3779b1;
	add.u32 %%r5, %%r3, %%r2;
	st.shared.b32 [%%r5], %%r4;
	add.u32 %%r2, %%r2, 128;
	setp.lt.u32 %%p0, %%r2, 8192;
	@%%p0 bra FILL;
	@%%p1 mbarrier.init.shared.b64 [bar], 1;
	fence.proxy.async.shared::cta;
	bar.warp.sync 0xffffffff;
	mov.b64 %%rd3, %[2]d; // start 1024 is that of data
	@%%p1 tcgen05.cp.cta_group::1.%[1]s [%%r8+%[3]d], %%rd3;
	@%%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%%r9];
WAIT:
	mbarrier.try_wait.parity.shared.b64 %%p2, [bar], 0;
	@!%%p2 bra WAIT;`

// TestTensorCopyReference: for every shape, format and swizzle, with strides that let rows overlap,
// and base offsets, the copy that is done at once leaves what the record leaves, in all lanes.
func TestTensorCopyReference(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 16))
	for _, s := range tourShapes {
		for _, format := range []string{"", ".b8x16.b6x16_p32", ".b8x16.b4x16_p64"} {
			for _, swizzle := range []uint64{0, 1, 2, 4, 6} {
				desc := 1024>>4 | uint64(1+r.IntN(64))<<16 | uint64(1+r.IntN(24))<<32 | 1<<46 | r.Uint64N(8)<<49 | swizzle<<61
				body := fmt.Sprintf(copyBody, s.name[1:]+format, desc, r.IntN(56))
				var words [2][][]uint32
				for i, mode := range []ptxvm.Async{ptxvm.AsyncEager, ptxvm.AsyncRandom} {
					text := fmt.Sprintf(tensorKernel, body, "", 1)
					words[i] = tensorOf(t, text, ptxvm.DeviceConfig{Async: mode, Workers: 1}, ptxvm.Launch{Block: ptxvm.Dim3{X: 32}}, ptxvm.Index3{}).Words
				}
				if !slices.EqualFunc(words[0], words[1], slices.Equal) || tensorZero(words[0]) {
					t.Errorf("%s%s, descriptor %#x: eager and random differ, or nothing was copied", s.name, format, desc)
				}
			}
		}
	}
}

func tensorZero(words [][]uint32) bool {
	return !slices.ContainsFunc(words, func(row []uint32) bool { return slices.ContainsFunc(row, func(x uint32) bool { return x != 0 }) })
}
