package tensors_test

// This file holds products of warpgroups to a plain product of small whole numbers: every layout in shared memory, signs,
// both ways to give A, in all modes. The sums themselves are held to an H100 by the oracle (TestProducts).

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/testkit/rig"
)

// wgmmaCase is a product of 64×16 and 16×n halves.
type wgmmaCase struct {
	n          int
	sa, sb     int  // swizzles in bytes, 0: none
	ta, tb     bool // A along M, B along N
	na, nb     bool // negated
	registers  bool // A in registers
	accumulate bool
}

// canonical is where element (mn, k) of a matrix of so many mn lies behind its start (9.7.15.5.1, canonical layouts), and the offsets of its descriptor.
func canonical(span int, along bool, mnCount int) (at func(mn, k int) int, leading, stride int) {
	switch {
	case !along && span == 0:
		leading, stride = 128*(mnCount/8), 128
		return func(mn, k int) int { return mn%8*16 + mn/8*stride + 2*k%16 + 2*k/16*leading }, leading, stride
	case !along:
		stride = 8 * span
		return func(mn, k int) int { return mn%8*span + mn/8*stride + 2*k }, 0, stride
	case span == 0:
		leading, stride = 128*(2*mnCount/16), 128
		return func(mn, k int) int { return 2*mn%16 + 2*mn/16*stride + k%8*16 + k/8*leading }, leading, stride
	}
	leading, stride = 16*span, 8*span
	return func(mn, k int) int { return 2*mn%span + 2*mn/span*leading + k%8*span + k/8*stride }, leading, stride
}

func inPattern(addr, span int) int {
	return addr ^ addr>>7&map[int]int{0: 0, 32: 1, 64: 3, 128: 7}[span]<<4
}

func wgmmaDescriptor(start, leading, stride, span int) uint64 {
	return uint64(start>>4) | uint64(leading>>4)<<16 | uint64(stride>>4)<<32 | map[int]uint64{0: 0, 128: 1, 64: 2, 32: 3}[span]<<62
}

const (
	wgmmaA = 1024 // where A and B begin in shared memory
	wgmmaB = 1024 + 8192
)

func wgmmaKernel(c wgmmaCase) string {
	var d, a, stores strings.Builder
	for i := range c.n / 2 {
		fmt.Fprintf(&d, ", %%f%d", i)
		fmt.Fprintf(&stores, "\tst.global.f32 [%%rd4+%d], %%f%d;\n", 4*i, i)
	}
	var setup strings.Builder
	for i := range c.n / 2 {
		fmt.Fprintf(&setup, "\tmov.f32 %%f%d, 0f40A00000;\n", i) // 5
	}
	sign := map[bool]int{false: 1, true: -1}
	turn := map[bool]int{true: 1}
	left, tail := "%rd5", fmt.Sprintf("%d, %d, %d, %d", sign[c.na], sign[c.nb], turn[c.ta], turn[c.tb])
	if c.registers {
		for i := range 4 {
			fmt.Fprintf(&a, "\tld.global.b32 %%a%d, [%%rd7+%d];\n", i, 4*i)
		}
		left, tail = "{%a0, %a1, %a2, %a3}", fmt.Sprintf("%d, %d, %d", sign[c.na], sign[c.nb], turn[c.tb])
	}
	mma := fmt.Sprintf("wgmma.mma_async.sync.aligned.m64n%dk16.f32.f16.f16 {%s}, %s, %%rd6, %%p0, %s;", c.n, d.String()[2:], left, tail)
	return `.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 image, .param .u64 out, .param .u64 da, .param .u64 db, .param .u32 add, .param .u64 regs) {
	.reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .pred %p<4>; .reg .f32 %f<128>; .reg .b32 %a<4>;
	.shared .align 1024 .b8 data[32768];
	ld.param.u64 %rd1, [image]; ld.param.u64 %rd2, [out]; ld.param.u64 %rd5, [da]; ld.param.u64 %rd6, [db]; ld.param.u32 %r9, [add]; ld.param.u64 %rd7, [regs];
	mov.u32 %r0, %tid.x;
	shl.b32 %r1, %r0, 2;
COPY:
	cvt.u64.u32 %rd3, %r1; add.u64 %rd3, %rd3, %rd1;
	ld.global.b32 %r2, [%rd3];
	mov.u32 %r3, data; add.u32 %r3, %r3, %r1;
	st.shared.b32 [%r3], %r2;
	add.u32 %r1, %r1, 512;
	setp.lt.u32 %p1, %r1, 32768;
	@%p1 bra COPY;
	fence.proxy.async;
	bar.sync 0;
	mul.wide.u32 %rd4, %r0, 16; add.u64 %rd7, %rd7, %rd4;
` + a.String() + setup.String() + `	setp.ne.u32 %p0, %r9, 0;
	wgmma.fence.sync.aligned;
	` + mma + `
	setp.eq.u32 %p0, 0, 0;
	` + mma + `
	wgmma.commit_group.sync.aligned;
	wgmma.wait_group.sync.aligned 0;
	mul.wide.u32 %rd4, %r0, ` + fmt.Sprint(2*c.n) + `; add.u64 %rd4, %rd4, %rd2;
` + stores.String() + `	ret;
}`
}

// TestWgmma: twice the product of a case, one behind the other in one group, plus 5 where D is added to.
func TestWgmma(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	spans := []int{0, 32, 64, 128}
	for i := range 48 {
		c := wgmmaCase{n: []int{8, 24, 64, 128}[i%4], sa: spans[r.IntN(4)], sb: spans[i/4%4], ta: r.IntN(2) == 0, tb: i/16%2 == 1,
			na: r.IntN(2) == 0, nb: r.IntN(2) == 0, registers: i%3 == 2, accumulate: r.IntN(2) == 0}
		if c.tb && c.n*2 < c.sb || c.tb && c.n*2%max(c.sb, 1) != 0 {
			c.sb = 0
		}
		if c.registers {
			c.ta = false
		}
		for _, async := range []ptxvm.Async{ptxvm.AsyncEager, ptxvm.AsyncLazy, ptxvm.AsyncRandom} {
			if err := runWgmma(t, c, ptxvm.DeviceConfig{Arch: "sm_90a", Async: async, Seed: uint64(i)}, r); err != nil {
				t.Errorf("%+v, %v: %v", c, async, err)
			}
		}
	}
}

func runWgmma(t *testing.T, c wgmmaCase, cfg ptxvm.DeviceConfig, r *rand.Rand) error {
	t.Helper()
	var a [64][16]int
	b := make([][16]int, c.n)
	image := make([]byte, 32768)
	put := func(at, v int) {
		bits := map[int]uint16{-2: 0xc000, -1: 0xbc00, 0: 0, 1: 0x3c00, 2: 0x4000}[v]
		image[at-1024], image[at-1023] = byte(bits), byte(bits>>8)
	}
	atA, leadA, strideA := canonical(c.sa, c.ta, 64)
	atB, leadB, strideB := canonical(c.sb, c.tb, c.n)
	for m := range 64 {
		for k := range 16 {
			a[m][k] = r.IntN(5) - 2
			put(inPattern(wgmmaA+atA(m, k), c.sa), a[m][k])
		}
	}
	for n := range b {
		for k := range 16 {
			b[n][k] = r.IntN(5) - 2
			put(inPattern(wgmmaB+atB(n, k), c.sb), b[n][k])
		}
	}
	regs := make([]uint32, 4*128) // fragments of mma.m16n8k16, sixteen rows a warp
	for thread := range 128 {
		lane := thread % 32
		for i := range 8 {
			row, k := thread/32*16+lane/4+i/2%2*8, lane%4*2+i%2+i/4*8
			regs[4*thread+i/2] |= uint32(map[int]uint16{-2: 0xc000, -1: 0xbc00, 0: 0, 1: 0x3c00, 2: 0x4000}[a[row][k]]) << (i % 2 * 16)
		}
	}
	d := rig.Device(t, cfg)
	mod, err := ptxvm.Compile("wgmma.ptx", []byte(wgmmaKernel(c)), nil)
	if err != nil {
		return err
	}
	p, err := d.Load(mod)
	if err != nil {
		return err
	}
	in, err := ptxvm.Upload(d, image)
	if err != nil {
		return err
	}
	fragments, err := ptxvm.Upload(d, regs)
	if err != nil {
		return err
	}
	got := make([]float32, 64*c.n)
	out, err := ptxvm.Upload(d, got)
	if err != nil {
		return err
	}
	add := uint32(0)
	if c.accumulate {
		add = 1
	}
	if _, err := rig.Kernel(t, p, "k").Launch(context.Background(), ptxvm.Launch{Block: ptxvm.Dim3{X: 128}}, in, out,
		wgmmaDescriptor(wgmmaA, leadA, strideA, c.sa), wgmmaDescriptor(wgmmaB, leadB, strideB, c.sb), add, fragments); err != nil {
		return err
	}
	if err := ptxvm.Download(out, got); err != nil {
		return err
	}
	for thread := range 128 {
		lane := thread % 32
		for i := range c.n / 2 {
			row, col := thread/32*16+lane/4+i/2%2*8, i/4*8+lane%4*2+i%2
			want := 0
			for k := range 16 {
				want += 2 * a[row][k] * b[col][k]
			}
			if c.na != c.nb {
				want = -want
			}
			if c.accumulate {
				want += 5
			}
			if v := got[thread*c.n/2+i]; v != float32(want) || math.IsNaN(float64(v)) {
				return fmt.Errorf("row %d, column %d is %v, want %d", row, col, v, want)
			}
		}
	}
	return nil
}

// TestWgmmaFaults: descriptors that name no matrix are spelled out.
func TestWgmmaFaults(t *testing.T) {
	for _, c := range []struct {
		a, b  uint64
		wants string
	}{
		{1 << 14, 0, "A: matrix descriptor 0x0000000000004000: bits 14 to 15 are 0b1, must be 0"},
		{64, 64 | 1<<61, "bits 52 to 61 are 0b1000000000, must be 0"},
		{64, 64 | 1<<47, "bits 46 to 48 are 0b10, must be 0"},
		{64, 0x3fff, "the CTA's shared memory is 0x400 to"},
	} {
		d := rig.Device(t, ptxvm.DeviceConfig{Arch: "sm_90a"})
		mod, err := ptxvm.Compile("wgmma.ptx", []byte(wgmmaKernel(wgmmaCase{n: 8})), nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := d.Load(mod)
		if err != nil {
			t.Fatal(err)
		}
		buf := rig.Buffer(t, d, 32768)
		_, err = rig.Kernel(t, p, "k").Launch(context.Background(), ptxvm.Launch{Block: ptxvm.Dim3{X: 128}}, buf, buf, c.a, c.b, uint32(0), buf)
		if err == nil || !strings.Contains(err.Error(), c.wants) {
			t.Errorf("%#x, %#x\n\twant %q\n\thave %v", c.a, c.b, c.wants, err)
		}
	}
}

// TestWgmmaUnawaited: registers that an open product still writes, and A's that it still reads, are reported with both lines,
// also where a product of another shape is behind it, with a fence or without.
func TestWgmmaUnawaited(t *testing.T) {
	whole := wgmmaKernel(wgmmaCase{n: 8, registers: true})
	const (
		commit, wait = "wgmma.commit_group.sync.aligned;", "wgmma.wait_group.sync.aligned 0;"
		fence        = "wgmma.fence.sync.aligned;"
		second       = "\n\tsetp.eq.u32 %p0, 0, 0;\n" // the first product ends before it
		first, here  = " //@other" + second, " //@here" + second
		behind       = second + fence + commit + wait

		mma     = "wgmma.mma_async.sync.aligned."
		wide    = mma + "m64n16k16.f32.f16.f16 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, {%a0, %a1, %a2, %a3}, %rd6, %p0, 1, 1, 0; "
		beside  = mma + "m64n16k16.f32.f16.f16 {%f8, %f9, %f10, %f11, %f4, %f5, %f6, %f7}, {%a0, %a1, %a2, %a3}, %rd6, %p0, 1, 1, 0; "
		halves  = mma + "m64n8k16.f16.f16.f16 {%r10, %r11}, {%r0, %r1, %r2, %r3}, %rd6, %p0, 1, 1, 0; "
		ofSum   = mma + "m64n8k16.f32.f16.f16 {%f8, %f9, %f10, %f11}, {%r0, %r11, %r1, %r2}, %rd6, %p0, 1, 1, 0; "
		overA   = mma + "m64n8k16.f16.f16.f16 {%r10, %a2}, {%r4, %r5, %r6, %r7}, %rd6, %p0, 1, 1, 0; "
		writing = "write to register %f0, which an asynchronous operation may still write"
	)
	for _, c := range []struct{ from, to, wants string }{
		{"", "", ""}, // a product of the same shape behind the other, which adds to it
		{wait, "", "read of register %f0, which an asynchronous operation may not have written yet"},
		{commit, "", "read of register %f0, which an asynchronous operation may not have written yet"},
		{commit, commit + " mov.b32 %a1, 0;", "write to register %a1, which an asynchronous operation may still read"},

		{second, first + wide + here, writing},
		{second, first + fence + wide + here, writing},
		{second, first + commit + fence + wide + here, writing},
		{second, commit + wait + fence + wide + commit + wait + fence + second, ""},
		{second, second + beside + second, ""},
		{second, second + halves + "//@other\n" + ofSum + here, "read of register %r11, which an asynchronous operation may not have written yet"},
		{second, second + halves + commit + wait + ofSum + second, ""},
		{second, first + overA + here, "write to register %a2, which an asynchronous operation may still read"},
		{second, second + commit + wait + overA + behind, ""},
	} {
		text := strings.Replace(whole, c.from, c.to, 1)
		for _, run := range []ptxvm.DeviceConfig{{Async: ptxvm.AsyncLazy}, {Sanitize: ptxvm.SanitizeAsync}} {
			run.Arch = "sm_90a"
			err := unawaited(t, text, run)
			var found *ptxvm.SanitizerError
			switch {
			case c.wants == "" && err != nil, c.wants != "" && (!errors.As(err, &found) || !strings.Contains(found.Error(), c.wants)):
				t.Errorf("%v, %s\n\twant %q\n\thave %v", run.Async, c.to, c.wants, err)
			case c.wants != "" && strings.Contains(text, "//@here"):
				if r := found.Reports[0]; r.Here.PTX.Line != rig.Line(text, "//@here") || r.Other.PTX.Line != rig.Line(text, "//@other") {
					t.Errorf("%v, %s: lines %d and %d", run.Async, c.to, r.Here.PTX.Line, r.Other.PTX.Line)
				}
			}
		}
	}
}

func unawaited(t *testing.T, text string, cfg ptxvm.DeviceConfig) error {
	t.Helper()
	d := rig.Device(t, cfg)
	mod, err := ptxvm.Compile("wgmma.ptx", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.Load(mod)
	if err != nil {
		t.Fatal(err)
	}
	buf := rig.Buffer(t, d, 32768)
	_, err = rig.Kernel(t, p, "k").Launch(context.Background(), ptxvm.Launch{Block: ptxvm.Dim3{X: 128}}, buf, buf, uint64(64), uint64(64), uint32(0), buf)
	return err
}
