package tensors_test

// Tests of what copies of boxes report to their mbarriers (9.4: 9.7.10.28.1.3).

import (
	"context"
	"encoding/binary"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/testkit/rig"
)

// validityKernel loads a box of 4 × 2 words at (x, y) and stores the predicate and whether the conditional phase completed.
const validityKernel = `.version 9.4
.target sm_107a
.address_size 64
.visible .entry k(.param .align 64 .b8 map[128], .param .u64 out, .param .u32 x, .param .u32 y) {
	.reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .pred %p<4>;
	.shared .align 128 .b8 data[32]; .shared .align 8 .b64 bar;
	mov.b64 %rd1, map; cvta.param.u64 %rd1, %rd1;
	ld.param.u64 %rd2, [out]; ld.param.u32 %r1, [x]; ld.param.u32 %r2, [y];
	mbarrier.init.layout::v1.shared.b64 [bar], 1;
	fence.proxy.async;
	mbarrier.arrive.expect_tx.shared.b64 _, [bar], 32;
	cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes.mbarrier::report::validity::%WHAT% [data], [%rd1, {%r1, %r2}], [bar];
WAIT:
	mbarrier.try_wait.parity.phase_type::primary.shared.b64 %p1|%p2, [bar], 0;
	@!%p1 bra WAIT;
	mbarrier.test_wait.parity.phase_type::conditional.shared.b64 %p3, [bar], 0;
	selp.b32 %r3, 1, 0, %p2; selp.b32 %r4, 1, 0, %p3;
	st.global.v2.b32 [%rd2], {%r3, %r4};
	ret;
}`

// TestTensorValidity: a copy of a box reports what lies in the elements of the tensor that it reads, where table 33 looks (the
// first element of 16 bytes, assumption U54); neither what lies beside the box nor what fills it beyond the tensor counts.
func TestTensorValidity(t *testing.T) {
	for _, c := range []struct {
		what  string
		word  uint32 // in a tensor of 8 × 4 words of 0x11111111
		at    int    // its index
		x, y  int32
		found bool
	}{
		{"per_16bytes::80000000", 0x80000000, 0, 0, 0, true},
		{"per_16bytes::80000000", 0x80000000, 1, 0, 0, false},  // no first element
		{"per_16bytes::80000000", 0x80000000, 12, 4, 0, true},  // the second row of the box
		{"per_16bytes::80000000", 0x80000000, 0, 4, 0, false},  // beside the box
		{"per_16bytes::80000000", 0x80000001, 0, 0, 0, false},  // another value
		{"per_16bytes::80000000", 0x80000000, 24, 0, 3, true},  // the last row; the other lies beyond
		{"per_16bytes::80000000", 0x80000000, 0, 0, -1, true},  // the first row; the other lies beyond
		{"per_16bytes::8000", 0x11118000, 4, 4, 0, true},       // the low half is the first element
		{"per_16bytes::8000", 0x80001111, 4, 4, 0, false},      // the high one is not
		{"per_16bytes::80", 0x11111180, 8, 0, 1, true},         // the lowest byte
		{"per_16bytes::80", 0x11118011, 8, 0, 1, false},        // the next
		{"per_16bytes::8", 0x11111118, 8, 0, 0, true},          // the lowest four bits
		{"per_16bytes::8", 0x11111181, 8, 0, 0, false},         // the next
		{"per_element::ff", 0x11ff1111, 3, 0, 0, true},         // any byte
		{"per_element::ff", 0x1ff11111, 3, 0, 0, false},        // no whole byte
		{"per_element::ff", 0xffffffff, 16, 0, 0, false},       // below the box
		{"per_16bytes::80000000", 0x11111111, 0, 8, 0, false},  // all of the box lies beyond
		{"per_16bytes::80000000", 0x80000000, 31, 4, 2, false}, // the last element is no first one
	} {
		predicate, conditional, err := boxReport(t, c.what, c.at, c.word, c.x, c.y)
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		if predicate != c.found || conditional == c.found {
			t.Errorf("%+v: predicate %v, conditional phase complete %v", c, predicate, conditional)
		}
	}
}

// boxReport runs the kernel on a tensor with one word set.
func boxReport(t *testing.T, what string, at int, word uint32, x, y int32) (predicate, conditional bool, err error) {
	t.Helper()
	d := rig.Device(t, ptxvm.DeviceConfig{Arch: "sm_107a"})
	memory := []byte(strings.Repeat("\x11", 8*4*4))
	binary.LittleEndian.PutUint32(memory[4*at:], word)
	buf, err := d.Alloc(len(memory))
	if err != nil {
		return false, false, err
	}
	out, err := d.Alloc(8)
	if err != nil {
		return false, false, err
	}
	if _, err := buf.WriteAt(memory, 0); err != nil {
		return false, false, err
	}
	m, err := d.NewTensorMap(ptxvm.TensorMapTiled{Buffer: buf, Type: "u32", Dims: []uint32{8, 4}, Strides: []uint64{32}, Box: []uint32{4, 2}})
	if err != nil {
		return false, false, err
	}
	mod, err := ptxvm.Compile("report.ptx", []byte(strings.ReplaceAll(validityKernel, "%WHAT%", what)), nil)
	if err != nil {
		return false, false, err
	}
	p, err := d.Load(mod)
	if err != nil {
		return false, false, err
	}
	if _, err := rig.Kernel(t, p, "k").Launch(context.Background(), ptxvm.Launch{}, m, out, x, y); err != nil {
		return false, false, err
	}
	got := make([]byte, 8)
	_, err = out.ReadAt(got, 0)
	return got[0] != 0, got[4] != 0, err
}
