package compiled_test

// This file tests launches that have nothing but their arguments new.

import (
	"context"
	"errors"
	"sync"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// tellModule has kernels that write what they know of their launch, eight words a CTA, and print five bytes.
const tellModule = `.version 8.0
.target sm_90
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .align 1 .b8 text[6] = {116,101,108,108,10,0};
.visible .entry tell(.param .u64 to, .param .u32 n) {
	.reg .b32 %r<9>; .reg .b64 %rd<5>;
	ld.param.u64 %rd1, [to]; ld.param.u32 %r1, [n];
	mov.u32 %r2, %ctaid.x; mul.wide.u32 %rd2, %r2, 64; add.u64 %rd2, %rd1, %rd2; mov.u64 %rd3, %gridid;
	mov.u32 %r3, %nctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %dynamic_smem_size;
	st.global.u64 [%rd2], %rd3; st.global.u32 [%rd2+8], %r1; st.global.u32 [%rd2+16], %r3; st.global.u32 [%rd2+24], %r4;
	st.global.u32 [%rd2+32], %r5; ret;
}
.visible .entry still(.param .u64 to, .param .u32 n) {
	.reg .b32 %r<9>; .reg .b64 %rd<5>;
	ld.param.u64 %rd1, [to]; ld.param.u32 %r1, [n];
	mov.u32 %r2, %ctaid.x; mul.wide.u32 %rd2, %r2, 64; add.u64 %rd2, %rd1, %rd2;
	mov.u32 %r3, %nctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %dynamic_smem_size;
	st.global.u32 [%rd2+8], %r1; st.global.u32 [%rd2+16], %r3; st.global.u32 [%rd2+24], %r4; st.global.u32 [%rd2+32], %r5; ret;
}
.visible .entry print(.param .u64 to, .param .u32 n) {
	.reg .b64 %rd<4>;
	mov.u64 %rd2, text; cvta.global.u64 %rd2, %rd2; mov.u64 %rd1, 0;
	{ .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %rd2; st.param.b64 [a], %rd1; call (r), vprintf, (f, a); }
	ret;
}
`

// teller launches the kernels of tellModule.
type teller struct {
	t  *testing.T
	d  *ptxvm.Device
	p  *ptxvm.Program
	to ptxvm.Buffer
}

func newTeller(t *testing.T, cfg ptxvm.DeviceConfig, opt *jit.Options) *teller {
	t.Helper()
	cfg.Memory = 1 << 20
	d, err := ptxvm.NewDevice(&cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	if opt != nil {
		if err := vm.CompileWith(d, *opt); err != nil {
			t.Skip(err)
		}
	}
	m, err := ptxvm.Compile("tell.ptx", []byte(tellModule), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	to, err := d.Alloc(64 * 64)
	if err != nil {
		t.Fatal(err)
	}
	return &teller{t, d, p, to}
}

func (x *teller) launch(ctx context.Context, kernel string, l ptxvm.Launch, n uint32) (ptxvm.Stats, error) {
	x.t.Helper()
	k, err := x.p.Kernel(kernel)
	if err != nil {
		x.t.Fatal(err)
	}
	return k.Launch(ctx, l, x.to, n)
}

// told launches and compares what each CTA has written; number is that of the launch.
func (x *teller) told(ctx context.Context, kernel string, l ptxvm.Launch, n uint32, number uint64) {
	x.t.Helper()
	s, err := x.launch(ctx, kernel, l, n)
	if err != nil || s.CTAs != uint64(l.Grid.X) || s.LaneOps == 0 || s.Elapsed <= 0 {
		x.t.Fatalf("%s of %v: %+v, %v", kernel, l, s, err)
	}
	for cta := range int(l.Grid.X) {
		if got := word(x.to, 8*cta); kernel == "tell" && got != number {
			x.t.Errorf("CTA %d of launch %d has number %d", cta, number, got)
		}
		for i, want := range []uint64{uint64(n), uint64(l.Grid.X), uint64(l.Block.X), uint64(l.Shared)} {
			if got := word(x.to, 8*cta+1+i) & 0xffffffff; got != want {
				x.t.Errorf("CTA %d of %v: word %d is %d, not %d", cta, l, i, got, want)
			}
		}
	}
}

// TestLaunchLikeBefore launches two kernels again and again, in shapes that stay and shapes that change, with arguments
// that do not stay, and under contexts of both kinds.
func TestLaunchLikeBefore(t *testing.T) {
	shape := func(grid, block uint32, shared int) ptxvm.Launch {
		return ptxvm.Launch{Grid: ptxvm.Dim3{X: grid}, Block: ptxvm.Dim3{X: block}, Shared: shared}
	}
	a, b, c := shape(1, 32, 0), shape(3, 64, 0), shape(3, 64, 128)
	ending, cancel := context.WithCancel(context.Background())
	defer cancel()
	for name, opt := range map[string]*jit.Options{"interp": nil, "512": {Vectors: jit.AVX512}, "256": {Vectors: jit.AVX2}} {
		t.Run(name, func(t *testing.T) {
			cfg := ptxvm.DeviceConfig{Workers: 1, Engine: ptxvm.JIT}
			if opt == nil {
				cfg.Engine = ptxvm.Interp
			}
			x := newTeller(t, cfg, opt)
			number := uint64(0)
			for i, l := range []ptxvm.Launch{a, a, a, b, b, b, a, b, a, b, c, c, c, b, b, c, a, a, a, a} {
				for k, kernel := range []string{"tell", "still", "still"} {
					ctx := context.Background()
					if i%5 == 4 && k == 1 {
						ctx = ending
					}
					x.told(ctx, kernel, l, uint32(100*i+k), number)
					number++
				}
			}
			for i := range 12 { // one kernel alone, then one beside another one that changes
				kernel, l := "tell", a
				if i > 5 && i%2 == 1 {
					kernel, l = "still", []ptxvm.Launch{b, c}[i/2%2]
				}
				x.told(context.Background(), kernel, l, uint32(i), number)
				number++
			}
			if _, err := x.launch(context.Background(), "still", shape(1, 2000, 0), 1); err == nil {
				t.Error("a block of 2000 threads was launched")
			}
			x.told(context.Background(), "still", a, 7, number)
		})
	}
}

// TestOutputLimitAgain prints in each of several launches as much as one may.
func TestOutputLimitAgain(t *testing.T) {
	x := newTeller(t, ptxvm.DeviceConfig{Workers: 1, MaxOutput: 8}, nil)
	for range 5 {
		for range 3 {
			if _, err := x.launch(context.Background(), "print", ptxvm.Launch{}, 0); err != nil {
				t.Fatal(err)
			}
		}
		var fault *ptxvm.Fault
		if _, err := x.launch(context.Background(), "print", ptxvm.Launch{Block: ptxvm.Dim3{X: 2}}, 0); !errors.As(err, &fault) {
			t.Errorf("beyond the limit: %v", err)
		}
	}
}

// TestCloseBesideLaunches closes a device on which several goroutines launch: each launch runs to its end, or not at all.
func TestCloseBesideLaunches(t *testing.T) {
	for range 20 {
		x := newTeller(t, ptxvm.DeviceConfig{Workers: 2}, nil)
		k, err := x.p.Kernel("still")
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		begun := make(chan struct{}, 4)
		for range cap(begun) {
			all.Go(func() {
				for n := 0; ; n++ {
					s, err := k.Launch(context.Background(), ptxvm.Launch{Grid: ptxvm.Dim3{X: 4}, Block: ptxvm.Dim3{X: 32}}, x.to, uint32(n))
					if errors.Is(err, ptxvm.ErrClosed) {
						return
					}
					if err != nil || s.CTAs != 4 {
						t.Errorf("%d CTAs, %v", s.CTAs, err)
					}
					if n == 3 {
						begun <- struct{}{}
					}
				}
			})
		}
		for range cap(begun) {
			<-begun
		}
		if err := x.d.Close(); err != nil {
			t.Error(err)
		}
		all.Wait()
	}
}
