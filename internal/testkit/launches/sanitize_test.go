package launches_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
)

// TestCorpusSanitized: observed code gives the results of unobserved code, and what nvcc and
// Triton made is free of reports.
func TestCorpusSanitized(t *testing.T) {
	for _, c := range corpus.Cases() {
		arch := c.Archs[len(c.Archs)-1]
		t.Run(fmt.Sprintf("%s/sm_%d", c.Name, arch), func(t *testing.T) {
			path := filepath.Join("testdata", filepath.FromSlash(c.Path(arch)))
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, cfg := range []ptxvm.DeviceConfig{
				{Sanitize: ptxvm.SanitizeInitLoads, Async: ptxvm.AsyncLazy},
				{Sanitize: ptxvm.SanitizeInit | ptxvm.SanitizeMem},
				{Sanitize: ptxvm.SanitizeAll},
				{Sanitize: ptxvm.SanitizeSync | ptxvm.SanitizeLeak},
			} {
				r := c.Make(corpus.Target{Arch: arch})
				if r.Unfenced && cfg.Async == ptxvm.AsyncLazy {
					cfg.Async = ptxvm.AsyncRandom
				}
				runWith(t, cfg, path, src, arch, r)
			}
		})
	}
}

// BenchmarkSanitized is saxpy on one worker: unobserved, and under sanitizers.
func BenchmarkSanitized(b *testing.B) {
	for name, cfg := range map[string]ptxvm.DeviceConfig{
		"none": {Engine: ptxvm.Interp}, "init": {Sanitize: ptxvm.SanitizeInit}, "lazy": {Async: ptxvm.AsyncLazy}, "race": {Sanitize: ptxvm.SanitizeRace},
	} {
		b.Run(name, func(b *testing.B) {
			cfg.Workers, cfg.Memory = 1, 1<<24
			src, err := os.ReadFile("testdata/cuda/saxpy.sm_90.ptx")
			if err != nil {
				b.Fatal(err)
			}
			m, err := ptxvm.Compile("saxpy", src, nil)
			if err != nil {
				b.Fatal(err)
			}
			d, err := ptxvm.NewDevice(&cfg)
			if err != nil {
				b.Fatal(err)
			}
			defer d.Close()
			p, err := d.Load(m)
			if err != nil {
				b.Fatal(err)
			}
			k, err := p.Kernel("")
			if err != nil {
				b.Fatal(err)
			}
			const n = 1 << 16
			x, _ := ptxvm.Upload(d, make([]float32, n))
			y, _ := ptxvm.Upload(d, make([]float32, n))
			for b.Loop() {
				if _, err := k.Launch(context.Background(), ptxvm.Launch{Grid: ptxvm.Dim3{X: n / 256}, Block: ptxvm.Dim3{X: 256}},
					uint32(n), float32(2), x, y); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n)*3*float64(b.N)/b.Elapsed().Seconds()/1e6, "Maccesses/s")
		})
	}
}

// TestSanitizerError: results are there in spite of reports, a fault is inside, and what callers
// look at has its place.
func TestSanitizerError(t *testing.T) {
	const src = `.version 9.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 far)
{
	.reg .b32 %r<4>; .reg .b64 %rd<4>;
	.shared .align 4 .b8 cell[4];
	ld.param.u64 %rd1, [p];
	ld.param.u32 %r1, [far];
	ld.shared.u32 %r2, [cell];
	add.u32 %r2, %r2, 5;
	st.global.u32 [%rd1], %r2;
	cvt.u64.u32 %rd2, %r1;
	add.u64 %rd1, %rd1, %rd2;
	ld.global.u32 %r2, [%rd1];
	ret;
}`
	d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Sanitize: ptxvm.SanitizeInit | ptxvm.SanitizeInitLoads, Workers: 1, Memory: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	m, err := ptxvm.Compile("cell.ptx", []byte(src), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	k, err := p.Kernel("")
	if err != nil {
		t.Fatal(err)
	}
	buf, err := ptxvm.Upload(d, []uint32{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	for far, fault := range map[uint32]bool{0: false, 8: true} {
		_, err := k.Launch(context.Background(), ptxvm.Launch{}, buf, far)
		var reports *ptxvm.SanitizerError
		var f *ptxvm.Fault
		if !errors.As(err, &reports) || errors.As(err, &f) != fault {
			t.Fatalf("far %d: %v", far, err)
		}
		r := reports.Reports[0]
		if len(reports.Reports) != 1 || r.Code.String() != "P8001" || r.Here.PTX.Line != 10 || r.Other != nil || r.Times != 1 {
			t.Errorf("far %d: %+v", far, r)
		}
		got := make([]uint32, 2)
		if err := ptxvm.Download(buf, got); err != nil || got[0] != 5 {
			t.Errorf("far %d: %v %v", far, got, err)
		}
		made := d.Unwritten(buf)
		if len(made) != 1 || made[0].Here.PTX.Line != 12 || made[0].Other == nil || made[0].Other.PTX.Line != 10 {
			t.Errorf("far %d: of the result: %+v", far, made)
		}
	}
}

// TestSanitizedCompiled: sync leaves to the interpreter what it looks at, leak a kernel that may leave something behind, and
// async one that starts asynchronous operations or shows sync its accesses; the rest is compiled, and a launch has no reports but its own.
func TestSanitizedCompiled(t *testing.T) {
	const loop = `
	mov.u32 %r1, %tid.x; mov.u32 %r2, 0;
again:
	mad.lo.u32 %r1, %r1, 5, 1; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 100; @%p1 bra again;
`
	for _, c := range []struct {
		name, body string
		check      ptxvm.Sanitize
		want       string // code of the report
		compiled   bool
	}{
		{"sync", loop + "shfl.sync.idx.b32 %r1, %r1, 0, 31, 0xfffffffe; st.global.u32 [%rd1], %r1;", ptxvm.SanitizeSync, "P8003", true},
		{"sync, right", loop + "shfl.sync.idx.b32 %r1, %r1, 0, 31, 0xffffffff; bar.sync 0; st.global.u32 [%rd1], %r1;", ptxvm.SanitizeSync, "", true},
		{"sync, mbarrier", loop + "mov.u32 %r3, %tid.x; setp.eq.u32 %p1, %r3, 0; @%p1 mbarrier.init.shared.b64 [cell], 1; @%p1 mbarrier.init.shared.b64 [cell], 1; st.global.u32 [%rd1], %r1;", ptxvm.SanitizeSync, "P8003", true},
		{"sync, plain load", loop + "mov.u32 %r3, %tid.x; setp.eq.u32 %p1, %r3, 0; @%p1 mbarrier.init.shared.b64 [cell], 1; ld.shared.u32 %r1, [cell]; st.global.u32 [%rd1], %r1;", ptxvm.SanitizeSync | ptxvm.SanitizeAsync, "P8003", false},
		{"async", loop + "st.global.u32 [%rd1], %r1;", ptxvm.SanitizeAsync, "", true},
		{"leak", loop + "mbarrier.init.shared.b64 [cell], 1; mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [cell], 16; st.global.u32 [%rd1], %r1;", ptxvm.SanitizeLeak, "P8007", false},
		{"leak, nothing", loop + "st.global.u32 [%rd1], %r1;", ptxvm.SanitizeLeak, "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Engine: ptxvm.JIT, Sanitize: c.check, Workers: 1, Memory: 1 << 20})
			if errors.Is(err, ptxvm.ErrNoJIT) {
				t.Skip(err)
			}
			defer d.Close()
			m, err := ptxvm.Compile("k.ptx", []byte(".version 8.6\n.target sm_90\n.address_size 64\n.shared .align 8 .b64 cell;\n"+
				".visible .entry k(.param .u64 p)\n{ .reg .b32 %r<4>; .reg .b64 %rd<2>; .reg .pred %p<2>; ld.param.u64 %rd1, [p];"+c.body+" ret; }"), nil)
			if err != nil {
				t.Fatal(err)
			}
			p, err := d.Load(m)
			if err != nil {
				t.Fatal(err)
			}
			k, err := p.Kernel("k")
			if err != nil {
				t.Fatal(err)
			}
			buf, err := ptxvm.Upload(d, []uint32{0})
			if err != nil {
				t.Fatal(err)
			}
			times := 0
			for n := range 3 {
				stats, err := k.Launch(context.Background(), ptxvm.Launch{Block: ptxvm.Dim3{X: 32}}, buf)
				var found *ptxvm.SanitizerError
				if errors.As(err, &found); (found == nil) != (c.want == "") || found == nil && err != nil {
					t.Fatalf("%v, want %q", err, c.want)
				}
				if found != nil {
					r := found.Reports[0]
					if n == 0 {
						times = r.Times // the mask, and each lane that takes a value
					}
					if len(found.Reports) != 1 || r.Code.String() != c.want || r.Times != times {
						t.Errorf("launch %d: %d reports, the first %+v; want one, of %s, %d times", n, len(found.Reports), r, c.want, times)
					}
				}
				if (stats.Compiled > 0) != c.compiled {
					t.Errorf("%d of %d lane-ops were compiled", stats.Compiled, stats.LaneOps)
				}
			}
		})
	}
}
