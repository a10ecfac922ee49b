package compiled_test

// This file tests when code is compiled, who shares it, how it is stopped, and its pages.

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
	"ptxvm.invalid/ptxvm/internal/testkit/rig"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// tieringModule has a loop of n trips, a kernel without any, and loops that never end.
const tieringModule = `.version 8.0
.target sm_90
.address_size 64
.visible .entry trips(.param .u64 out, .param .u32 n) {
	.reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .pred %p;
	ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n];
	mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mad.lo.u32 %r2, %r3, %r4, %r2;
	mul.wide.u32 %rd2, %r2, 4; add.u64 %rd2, %rd1, %rd2; mov.u32 %r5, 0; mov.u32 %r6, %r2;
L:	mad.lo.u32 %r6, %r6, 5, %r5; add.u32 %r5, %r5, 1; setp.lt.u32 %p, %r5, %r1; @%p bra L;
	st.global.u32 [%rd2], %r6; ret;
}
.visible .entry once(.param .u64 out, .param .u32 n) {
	.reg .b32 %r<9>; .reg .b64 %rd<4>;
	ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; mul.wide.u32 %rd2, %r2, 4; add.u64 %rd2, %rd1, %rd2;
	mul.lo.u32 %r3, %r1, %r2; st.global.u32 [%rd2], %r3; ret;
}
.visible .entry converged() { .reg .b32 %r; L: add.u32 %r, %r, 1; bra L; }
.visible .entry divergent() {
	.reg .b32 %r<4>; .reg .pred %p, %q;
	mov.u32 %r1, %laneid; setp.lt.u32 %p, %r1, 9; @%p bra A;
L:	add.u32 %r2, %r2, 3; bra L;
A:	add.u32 %r2, %r2, 1; mul.lo.u32 %r3, %r2, %r1; setp.ne.u32 %q, %r3, 77777; @%q bra A; bra A;
}
.visible .entry trickle() {
	.reg .b32 %r<4>; .reg .pred %p;
	mov.u32 %r1, %laneid;
L:	add.u32 %r2, %r2, 1; setp.lt.u32 %p, %r2, %r1; @%p bra L; setp.ge.u32 %p, %r1, 3; @%p bra L; ret;
}
.visible .entry nested() {
	.reg .b32 %r<4>; .reg .pred %p;
O:	mov.u32 %r1, 0;
L:	add.u32 %r1, %r1, 1; setp.lt.u32 %p, %r1, 10; @%p bra L; bra O;
}
.visible .entry barrier() { .reg .b32 %r; L: add.u32 %r, %r, 1; bar.sync 0; bra L; }
.visible .entry polls() {
	.reg .b32 %r; .reg .pred %p; .shared .b32 s;
L:	ld.volatile.shared.u32 %r, [s]; setp.eq.u32 %p, %r, 0; @%p bra L; ret;
}
.visible .entry brief() { .reg .b32 %r; .shared .b32 s; st.shared.u32 [s], %r; ret; }
`

// tieringDevice loads the module on a device; the kernel by name.
func tieringDevice(t testing.TB, cfg ptxvm.DeviceConfig) (*ptxvm.Device, func(name string) *ptxvm.Kernel) {
	t.Helper()
	cfg.Memory = 1 << 24
	d, err := ptxvm.NewDevice(&cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	m, err := ptxvm.Compile("tiering.ptx", []byte(tieringModule), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	return d, func(name string) *ptxvm.Kernel {
		k, err := p.Kernel(name)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
}

// TestTiering: what is launched cold is interpreted, a loop becomes hot inside one launch, and what has
// been launched often is compiled.
func TestTiering(t *testing.T) {
	rig.NeedJIT(t)
	d, kernel := tieringDevice(t, ptxvm.DeviceConfig{Workers: 1})
	out, err := d.Alloc(1 << 12)
	if err != nil {
		t.Fatal(err)
	}
	run := func(name string, n uint32) ptxvm.Stats {
		t.Helper()
		s, err := kernel(name).Launch(context.Background(), ptxvm.Launch{Block: ptxvm.Dim3{X: 32}}, out, n)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if s := run("once", 3); s.Compiled != 0 {
		t.Errorf("a first launch: %d lane-ops in compiled code", s.Compiled)
	}
	if s := run("trips", 20); s.Compiled != 0 {
		t.Errorf("20 trips: %d lane-ops in compiled code", s.Compiled)
	}
	if s := run("trips", 100000); s.Compiled*10 < s.LaneOps*9 || s.Compiled == s.LaneOps {
		t.Errorf("100000 trips: %d of %d lane-ops in compiled code", s.Compiled, s.LaneOps)
	}
	if s := run("trips", 20); s.Compiled*2 < s.LaneOps {
		t.Errorf("once compiled: %d of %d lane-ops in compiled code", s.Compiled, s.LaneOps)
	}
	for range 1000 {
		if s := run("once", 3); s.Compiled != 0 {
			return
		}
	}
	t.Error("1000 launches have not made a kernel hot")
}

// TestTieringAnywhere lets each case of the corpus become hot after any number of entries.
func TestTieringAnywhere(t *testing.T) {
	rig.NeedJIT(t)
	var mixed atomic.Int64 // runs that began in the interpreter and went on in compiled code
	t.Run("cases", func(t *testing.T) {
		for i, c := range corpus.Cases() {
			t.Run(c.Name, func(t *testing.T) {
				t.Parallel()
				run := newCaseRun(t, &c)
				want, _ := run.with(t, ptxvm.Interp, nil)
				r := rand.New(rand.NewPCG(*exitsSeed, uint64(i)))
				for k, after := range []uint32{0, 0, 0, 1, 2, 3 + r.Uint32N(8), 11 + r.Uint32N(90), 100 + r.Uint32N(900)} {
					some := []uint32{0, 1 << 30, 1 + r.Uint32N(20)} // at once, never, at any moment
					parts := some[k%3]
					got, rep := run.with(t, ptxvm.Auto, func(d *ptxvm.Device) error {
						tuning := vm.TuningOf(d)
						tuning.HotAfter, tuning.PartsAfter = after, parts
						return nil
					})
					if d := got.differs(&want); d != "" {
						t.Errorf("compiled after %d entries, for some lanes after %d: %s", after, parts, d)
					}
					if after != 0 && rep.compiled != 0 {
						mixed.Add(1)
					}
				}
			})
		}
	})
	if t.Logf("%d runs in both engines", mixed.Load()); mixed.Load() < 40 {
		t.Error("too few runs have become hot")
	}
}

// TestCompiledOnce: workers share code, launches do, and devices have their own.
func TestCompiledOnce(t *testing.T) {
	rig.NeedJIT(t)
	var compiles [2]atomic.Int64
	var wg sync.WaitGroup
	for i := range compiles {
		d, kernel := tieringDevice(t, ptxvm.DeviceConfig{Workers: 4, Engine: ptxvm.Auto})
		vm.TuningOf(d).HotAfter = 5
		if err := compiledBy(jit.Leaving(jit.Options{}, func(pc int32) bool {
			if pc == 0 {
				compiles[i].Add(1)
			}
			return false
		}))(d); err != nil {
			t.Fatal(err)
		}
		out, err := d.Alloc(1 << 16)
		if err != nil {
			t.Fatal(err)
		}
		for range 4 {
			wg.Go(func() {
				for range 3 {
					if _, err := kernel("trips").Launch(context.Background(), ptxvm.Launch{Grid: ptxvm.Dim3{X: 100}, Block: ptxvm.Dim3{X: 128}}, out, uint32(200)); err != nil {
						t.Error(err)
					}
				}
			})
		}
		defer func() {
			got := make([]byte, 100*128*4)
			if err := ptxvm.Download(out, got); err != nil {
				t.Error(err)
			}
			if want := tripsWant(100*128, 200); !bytes.Equal(got, want) {
				t.Errorf("device %d: wrong results", i)
			}
			if n := compiles[i].Load(); n != 1 {
				t.Errorf("device %d has compiled %d times", i, n)
			}
		}()
	}
	wg.Wait()
}

// tripsWant is what the kernel trips writes.
func tripsWant(threads, trips uint32) (b []byte) {
	for i := range threads {
		v := i
		for k := range trips {
			v = v*5 + k
		}
		b = append(b, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
	}
	return b
}

// TestCompiledStops cancels launches inside compiled loops that never end, by hand and by time. How long
// that took is logged, not tested: the limit is for a machine that has other things to do.
func TestCompiledStops(t *testing.T) {
	rig.NeedJIT(t)
	var slowest time.Duration
	r := rand.New(rand.NewPCG(1, 2))
	for _, e := range []ptxvm.Engine{ptxvm.JIT, ptxvm.Auto} {
		for _, workers := range []int{1, 2} {
			_, kernel := tieringDevice(t, ptxvm.DeviceConfig{Workers: workers, Engine: e})
			for i, name := range []string{"converged", "divergent", "trickle", "nested", "barrier", "polls", "brief"} {
				l := ptxvm.Launch{Grid: ptxvm.Dim3{X: pick(r, []uint32{1, 200})}, Block: ptxvm.Dim3{X: pick(r, []uint32{32, 33, 256, 1024})}}
				if name == "brief" {
					l.Grid.X = 1 << 30
				}
				// lanes that have parted stay in the interpreter until they meet
				hot := e == ptxvm.JIT || name != "divergent" && name != "trickle"
				late := stopLaunch(t, kernel(name), l, hot, (i+workers)%2 == 0)
				slowest = max(slowest, late)
			}
		}
	}
	t.Logf("the slowest launch ended %v after it was cancelled", slowest)
}

// stopLaunch stops a launch that never ends, after some milliseconds or, if it is to be in compiled code
// by then, as many as that takes; late is how long it went on.
func stopLaunch(t *testing.T, k *ptxvm.Kernel, l ptxvm.Launch, compiled, timeout bool) (late time.Duration) {
	t.Helper()
	for wait := 5 * time.Millisecond; ; wait *= 2 {
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		want := context.DeadlineExceeded
		if !timeout {
			cancel()
			ctx, cancel = context.WithCancel(t.Context())
			want = context.Canceled
			time.AfterFunc(wait, cancel)
		}
		start := time.Now()
		s, err := k.Launch(ctx, l)
		late = time.Since(start) - wait
		cancel()
		if !errors.Is(err, want) || late > 20*time.Second {
			t.Errorf("%s %v %v: %v, %v late", k.Info().Name, l.Grid, l.Block, err, late)
		}
		if s.Compiled != 0 || !compiled {
			return late
		}
		if wait > 2*time.Second {
			t.Errorf("%s %v %v: nothing runs in compiled code", k.Info().Name, l.Grid, l.Block)
			return late
		}
	}
}

// codePages counts the mappings that are executable and of no file, and those that are writable, too.
func codePages(t *testing.T) (executable, both int) {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(maps)) {
		f := strings.Fields(line)
		switch {
		case strings.HasPrefix(f[1], "rwx"), strings.HasPrefix(f[1], "-wx"):
			both++
		case f[1][2] == 'x' && len(f) < 6:
			executable++
		}
	}
	return executable, both
}

// TestCodePages: no page is ever writable and executable, and Close gives them back.
func TestCodePages(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc/self/maps")
	}
	rig.NeedJIT(t)
	before, _ := codePages(t)
	d, kernel := tieringDevice(t, ptxvm.DeviceConfig{Workers: 2, Engine: ptxvm.JIT})
	out, err := d.Alloc(1 << 12)
	if err != nil {
		t.Fatal(err)
	}
	stop, watched := make(chan struct{}), make(chan int)
	go func() {
		worst := 0
		for {
			select {
			case <-stop:
				watched <- worst
				return
			default:
				_, both := codePages(t)
				worst = max(worst, both)
			}
		}
	}()
	for range 20 {
		for _, name := range []string{"trips", "once"} {
			if _, err := kernel(name).Launch(context.Background(), ptxvm.Launch{Block: ptxvm.Dim3{X: 64}}, out, uint32(500)); err != nil {
				t.Error(err)
			}
		}
	}
	close(stop)
	if worst := <-watched; worst != 0 {
		t.Errorf("%d mappings are writable and executable", worst)
	}
	during, _ := codePages(t)
	if during <= before {
		t.Errorf("%d executable mappings before, %d with compiled code: they are not found", before, during)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if after, _ := codePages(t); after != before {
		t.Errorf("%d executable mappings before, %d after Close", before, after)
	}
}
