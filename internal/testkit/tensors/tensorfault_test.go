package tensors_test

// This file holds what tensor memory refuses, and what it waits for.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/testkit/rig"
)

// tensorKernel wraps statements: %r8 is the address of 64 allocated columns, %r0 the thread, %p1 the
// first lane of each warp. The end frees them.
const tensorKernel = `.version 9.4
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 out)%[2]s {
	.reg .b32 %%r<64>; .reg .b64 %%rd<16>; .reg .b16 %%h<4>; .reg .pred %%p<8>;
	.shared .align 1024 .b8 data[8192]; .shared .align 8 .b64 bar; .shared .align 4 .b32 slot;
	mov.u32 %%r0, %%tid.x;
	and.b32 %%r1, %%r0, 31;
	setp.eq.u32 %%p1, %%r1, 0;
	tcgen05.alloc.cta_group::%[3]d.sync.aligned.shared::cta.b32 [slot], 64;
	ld.shared.b32 %%r8, [slot];
	mov.u32 %%r9, data; mov.u32 %%r9, bar;
	mov.b64 %%rd3, 0x400000000040; // start 1024, constant
%[1]s
	tcgen05.dealloc.cta_group::%[3]d.sync.aligned.b32 %%r8, 64;
	ret;
}`

func launchTensor(t *testing.T, text string, cfg ptxvm.DeviceConfig, l ptxvm.Launch) (ptxvm.Stats, error) {
	t.Helper()
	return watchedTensor(t, text, cfg, l, ptxvm.Watch{})
}

// tensorOf is the tensor memory of a CTA of such a launch, which must not fail.
func tensorOf(t *testing.T, text string, cfg ptxvm.DeviceConfig, l ptxvm.Launch, cta ptxvm.Index3) *ptxvm.TensorMemory {
	t.Helper()
	stats, err := watchedTensor(t, text, cfg, l, ptxvm.Watch{Tensor: &cta})
	if err != nil {
		t.Fatalf("%v: %v\n%s", cfg, err, text)
	}
	return stats.Tensor
}

func watchedTensor(t *testing.T, text string, cfg ptxvm.DeviceConfig, l ptxvm.Launch, w ptxvm.Watch) (ptxvm.Stats, error) {
	t.Helper()
	if cfg.Arch == "" {
		cfg.Arch = "sm_100a"
	}
	d := rig.Device(t, cfg)
	m, err := ptxvm.Compile("t.ptx", []byte(text), nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	p, err := d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	return rig.Kernel(t, p, "k").Watch(context.Background(), l, w, rig.Buffer(t, d, 4096))
}

// TestTensorFaults: everything that check lets through and tensor memory cannot do is a fault whose
// message has the fields.
func TestTensorFaults(t *testing.T) {
	for _, c := range []struct {
		group       int
		text, wants string
	}{
		{1, "mov.u32 %r2, 48; tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], %r2;", "48 columns: the number must be a power of two"},
		{1, "mov.u32 %r2, 1024; tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], %r2;", "1024 columns: tensor memory is allocated in 32, 64"},
		{1, "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], %r0;", "different numbers of columns"},
		{1, "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 128;", "128 columns after an allocation of 64"},
		{1, "tcgen05.alloc.exclusive.cta_group::1.sync.aligned.shared::cta.b32 [slot], 576;", "576 columns: the device has 512"},
		{1, "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned; tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 32;", "relinquished"},
		{1, "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r8, 32;", "32 columns at 0x00000000 (lane 0, column 0): the allocation has 64"},
		{1, "add.u32 %r9, %r8, 32; tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r9, 64;", "no allocation starts at 0x00000020 (lane 0, column 32); allocated: columns 0 to 63"},
		{1, "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r8, 64;", "no allocation starts at 0x00000000 (lane 0, column 0); nothing is"},
		{2, "", "cta_group::2 needs a peer CTA: the cluster has no CTA of rank 1"},
		{1, "tcgen05.ld.sync.aligned.32x32b.x128.b32 {%[1]s}, [%r8];", "columns 0 to 127 of CTA rank 0: column 64 is not allocated; allocated: columns 0 to 63"},
		{1, "add.u32 %r9, %r8, 448; tcgen05.ld.sync.aligned.32x32b.x128.b32 {%[1]s}, [%r9];", "columns 448 to 575: tensor memory has columns 0 to 511"},
		{1, "add.u32 %r9, %r8, 0x200000; tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r10}, [%r9];", "address 0x00200000 (lane 32, column 0): warp 0 may touch lanes 0 to 31 only"},
		{1, "add.u32 %r9, %r8, 0x100000; tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r10}, [%r9];", "the lane must be a multiple of 32 for .32x32b"},
		{1, "add.u32 %r9, %r8, 0x80000; tcgen05.st.sync.aligned.16x64b.x1.b32 [%r9], {%r10};", "the lane must be a multiple of 16 for .16x64b"},
		{1, "add.u32 %r9, %r8, %r0; tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r10}, [%r9];", "the lanes give different addresses"},
		{1, "tcgen05.ld.sync.aligned.16x32bx2.x1.b32 {%r10}, [%r8], -2;", "immHalfSplitoff -2: the second half would begin at column -2"},
		{1, "tcgen05.st.sync.aligned.16x32bx2.x1.b32 [%r8], 70000, {%r10};", "immHalfSplitoff 70000: the second half would begin at column 70000"},
		{1, "@%p1 tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r10}, [%r8];", "the guard excludes lanes fffffffe"},
		{1, "@%p1 bra OUT; tcgen05.wait::ld.sync.aligned; OUT: mov.u32 %r9, 0;", "lanes fffffffe are at another .aligned instruction"},
		{1, "add.u32 %r9, %r8, 0x100000; @%p1 tcgen05.shift.cta_group::1.down [%r9];", "address 0x00100000 (lane 16, column 0): the lane of tcgen05.shift must be a multiple of 32"},
		{1, "add.u32 %r9, %r8, 60; @%p1 tcgen05.shift.cta_group::1.down [%r9];", "columns 60 to 67 of CTA rank 0: column 64 is not allocated"},
		{1, "mov.b64 %rd3, 0x40; @%p1 tcgen05.cp.cta_group::1.128x256b [%r8], %rd3;", "bits 46 to 48 are 0b0, must be 0b001"},
		{1, "mov.b64 %rd3, 0x6000400000000040; @%p1 tcgen05.cp.cta_group::1.128x256b [%r8], %rd3;", "bits 61 to 63 are 0b11, must be 0, 1, 2, 4 or 6"},
		{1, "mov.b64 %rd3, 0x10400000000040; @%p1 tcgen05.cp.cta_group::1.128x256b [%r8], %rd3;", "bit 52 (the leading dimension is an address) is for sm_103a"},
		{1, "mov.b64 %rd3, 0x400000000000; @%p1 tcgen05.cp.cta_group::1.128x256b [%r8], %rd3;", "row 0 is read at offset 0x0 of shared memory, which has 0x400 to 0x2"},
		{1, "add.u32 %r9, %r8, 0x10000; @%p1 tcgen05.cp.cta_group::1.128x128b [%r9], %rd3;", "lanes 1 to 128: tensor memory has lanes 0 to 127"},
		{1, "add.u32 %r9, %r8, 62; @%p1 tcgen05.cp.cta_group::1.32x128b.warpx4 [%r9], %rd3;", "columns 62 to 65 of CTA rank 0: column 64 is not allocated"},
		{1, "mov.u16 %h0, 6; mov.u32 %r9, bar; @%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%r9], %h0;", "ctaMask 0x6"},
		{1, "mov.u32 %r9, bar; @%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r9];", "not initialised"},
	} {
		regs := "%r10"
		for range 127 {
			regs += ", %r10"
		}
		body := strings.ReplaceAll(c.text, "%[1]s", regs)
		_, err := launchTensor(t, fmt.Sprintf(tensorKernel, body, "", c.group), ptxvm.DeviceConfig{}, ptxvm.Launch{Block: ptxvm.Dim3{X: 32}})
		var f *ptxvm.Fault
		if !errors.As(err, &f) || !strings.Contains(f.Msg, c.wants) {
			t.Errorf("%.100s\n\thave %v\n\twant %s", c.text, err, c.wants)
		}
	}
}

// TestTensorBlocks: an alloc sleeps until the columns are free; if no warp frees them, that is a
// deadlock that says so; a leak is a warning with the line of the alloc.
func TestTensorBlocks(t *testing.T) {
	text := fmt.Sprintf(tensorKernel, `
	tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot+%d], 64;`, "", 1)
	text = strings.Replace(text, "[slot+%d]", "[data]", 1)
	// Each of 8 warps takes 64 of 512 columns and then wants 64 more.
	_, err := launchTensor(t, text, ptxvm.DeviceConfig{Workers: 1}, ptxvm.Launch{Block: ptxvm.Dim3{X: 256}})
	var dead *ptxvm.DeadlockError
	if !errors.As(err, &dead) || !strings.Contains(dead.Detail(), "wait for free columns of tensor memory; allocated: columns 0 to 63, 64 to 127") {
		t.Errorf("8 warps: %v", err)
	}
	// Of 12 warps four wait until others free: all end.
	plain := fmt.Sprintf(tensorKernel, "bar.warp.sync 0xffffffff;", "", 1)
	stats, err := launchTensor(t, strings.ReplaceAll(plain, "[slot]", "[data]"), ptxvm.DeviceConfig{Workers: 1}, ptxvm.Launch{Block: ptxvm.Dim3{X: 384}})
	if err != nil || stats.Leak != nil {
		t.Errorf("12 warps: %v, %v", err, stats.Leak)
	}
	leaky := strings.Replace(plain, "tcgen05.dealloc", "//", 1)
	stats, err = launchTensor(t, leaky, ptxvm.DeviceConfig{}, ptxvm.Launch{Grid: ptxvm.Dim3{X: 3}, Block: ptxvm.Dim3{X: 32}})
	if err != nil || stats.Leak == nil || stats.Leak.String() != "t.ptx:10:2: CTA (0,0,0) ended without freeing columns 0 to 63 of tensor memory, and 2 more allocations were not freed" {
		t.Errorf("leak: %v, %v", err, stats.Leak)
	}
}

// TestTensorPair: alloc of a pair waits for the peer, gives both the same columns, and faults when
// the calls differ or the peer has gone.
func TestTensorPair(t *testing.T) {
	pair := "\n.explicitcluster\n.reqnctapercluster 2, 1, 1"
	shape := ptxvm.Launch{Grid: ptxvm.Dim3{X: 2}, Block: ptxvm.Dim3{X: 32}}
	if _, err := launchTensor(t, fmt.Sprintf(tensorKernel, "", pair, 2), ptxvm.DeviceConfig{}, shape); err != nil {
		t.Error(err)
	}
	differ := fmt.Sprintf(tensorKernel, "mov.u32 %r3, %cluster_ctarank; mov.u32 %r4, 32; shr.u32 %r4, 64, %r3; tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [slot], %r4;", pair, 2)
	for text, wants := range map[string]string{
		strings.Replace(differ, "mov.u32 %r4, 32; shr.u32 %r4, 64, %r3;", "mov.u32 %r4, 64; shr.u32 %r4, %r4, %r3;", 1):                                                    "both must make the same call",
		strings.Replace(fmt.Sprintf(tensorKernel, "", pair, 2), "	tcgen05.alloc", "mov.u32 %r3, %cluster_ctarank; setp.eq.u32 %p2, %r3, 0; @%p2 exit;\n tcgen05.alloc", 1): "all threads of the peer CTA (rank 0) have exited",
	} {
		_, err := launchTensor(t, text, ptxvm.DeviceConfig{Workers: 1}, shape)
		if f := (*ptxvm.Fault)(nil); !errors.As(err, &f) || !strings.Contains(f.Msg, wants) {
			t.Errorf("have %v, want %s", err, wants)
		}
	}
}

// TestMixedGroups: two functions of one kernel with different groups are refused before anything
// runs, with both lines.
func TestMixedGroups(t *testing.T) {
	text := `.version 9.0
.target sm_100a
.address_size 64
.func other() {
	tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;
	ret;
}
.visible .entry k(.param .u64 out) {
	tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
	call other;
	ret;
}`
	_, err := launchTensor(t, text, ptxvm.DeviceConfig{}, ptxvm.Launch{Block: ptxvm.Dim3{X: 32}})
	var list ptxvm.Diagnostics
	if !errors.As(err, &list) || len(list) != 1 || !strings.Contains(list[0].Msg, ".cta_group::2 in other, but kernel k also executes .cta_group::1 in k, line 9") {
		t.Fatalf("have %v", err)
	}
	if line, _ := list[0].Source.Position(list[0].Span.Start); line != 5 {
		t.Errorf("reported at line %d, want 5", line)
	}
}

// TestTensorAssumptions: each position of the assumptions about tensor memory changes a result.
func TestTensorAssumptions(t *testing.T) {
	for assumption, name := range map[string]string{"U1=previous": "shift", "U2=all": "shift", "U3=low": "decompress4"} {
		c := tensorCases[name]
		in := c.data(3)
		base, _, err := runTensor(t, name, tensorText(t, name), &c, ptxvm.DeviceConfig{}, in)
		if err != nil {
			t.Fatal(err)
		}
		out, _, err := runTensor(t, name, tensorText(t, name), &c, ptxvm.DeviceConfig{Assume: assumption}, in)
		if err != nil || slices.Equal(out, base) {
			t.Errorf("%s changes nothing in %s (%v)", assumption, name, err)
		}
		if assumption == "U3=low" {
			for i := range out {
				if out[i]<<2 != base[i] {
					t.Fatalf("%s: word %d is %08x and %08x", assumption, i, out[i], base[i])
				}
			}
		}
		if assumption == "U1=previous" { // lane 33 gets the row of lane 32, which keeps its own
			if !slices.Equal(out[33*8:34*8], out[32*8:33*8]) || slices.Equal(base[33*8:34*8], out[33*8:34*8]) {
				t.Errorf("%s: lanes 32 and 33 are %x and %x", assumption, out[32*8:33*8], out[33*8:34*8])
			}
		}
	}
}

// TestTensorShow: the tensor memory of one CTA, as it was at its end.
func TestTensorShow(t *testing.T) {
	text := fmt.Sprintf(tensorKernel, "mov.u32 %r2, %ctaid.x; mad.lo.u32 %r2, %r2, 100, %r0; tcgen05.st.sync.aligned.32x32b.x1.b32 [%r8], {%r2}; tcgen05.wait::st.sync.aligned;", "", 1)
	m := tensorOf(t, text, ptxvm.DeviceConfig{}, ptxvm.Launch{Grid: ptxvm.Dim3{X: 2}, Block: ptxvm.Dim3{X: 32}}, ptxvm.Index3{X: 1})
	if len(m.Columns) != 64 || len(m.Words) != 128 || m.Words[31][0] != 131 || m.Words[32][0] != 0 {
		t.Errorf("%d columns of %d lanes", len(m.Columns), len(m.Words))
	}
}

// TestTensorShiftPair: a shift of cta_group::2 moves rows in both CTAs, each its own: lane i of CTA c
// holds 1000c + i before.
func TestTensorShiftPair(t *testing.T) {
	pair := "\n.explicitcluster\n.reqnctapercluster 2, 1, 1"
	text := fmt.Sprintf(tensorKernel, `
	mov.u32 %%r3, %%cluster_ctarank;
	mad.lo.u32 %%r2, %%r3, 1000, %%r0;
	tcgen05.st.sync.aligned.32x32b.x1.b32 [%%r8], {%%r2};
	tcgen05.wait::st.sync.aligned;
	tcgen05.fence::before_thread_sync;
	mbarrier.init.shared::cta.b64 [bar], 1;
	barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
	tcgen05.fence::after_thread_sync;
	or.b32 %%r4, %%r3, %%r0; setp.eq.u32 %%p2, %%r4, 0;
	@!%%p2 bra ON;
	tcgen05.shift.down.cta_group::2 [%%r8];
	mov.u32 %%r5, bar;
	tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.b64 [%%r5];
WAIT:
	mbarrier.try_wait.parity.shared::cta.b64 %%p3, [bar], 0;
	@!%%p3 bra WAIT;
ON:
	barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;`, pair, 2)
	text = strings.ReplaceAll(text, "%%", "%")
	for _, mode := range []ptxvm.Async{ptxvm.AsyncEager, ptxvm.AsyncLazy, ptxvm.AsyncRandom} {
		for cta := range uint32(2) {
			m := tensorOf(t, text, ptxvm.DeviceConfig{Async: mode}, ptxvm.Launch{Grid: ptxvm.Dim3{X: 2}, Block: ptxvm.Dim3{X: 32}}, ptxvm.Index3{X: cta})
			for i := range uint32(32) {
				if have, want := m.Words[i][0], 1000*cta+min(i+1, 31); have != want {
					t.Errorf("%v, CTA %d: lane %d holds %d, want %d", mode, cta, i, have, want)
				}
			}
		}
	}
}
