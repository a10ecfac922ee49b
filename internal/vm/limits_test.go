package vm_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"ptxvm.invalid/ptxvm/internal/vm"
)

// long is a module of n diamonds whose registers live from the start: valid, and a lot of work.
func long(n int) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %%r<%d>; .reg .pred %%p;\n", n+2)
	for i := range n {
		fmt.Fprintf(&b, "setp.eq.u32 %%p,%%r%d,3; @%%p bra M%d; add.u32 %%r%d,%%r%d,1; M%d: xor.b32 %%r%d,%%r%d,%%r0;\n", i, i, i+1, i, i, i, i+1)
	}
	return []byte(b.String() + "ret;\n}\n")
}

// after is a context that ends when it has been asked so often.
type after struct {
	context.Context
	asked *int
	until int
}

func (a after) Err() error {
	if *a.asked++; *a.asked > a.until {
		return context.DeadlineExceeded
	}
	return nil
}

// TestCompilingEnds: wherever the deadline comes, the pass in which it does ends, and says its name; nothing is left behind that
// keeps the next attempt from success.
func TestCompilingEnds(t *testing.T) {
	src := long(300)
	d, err := vm.NewDevice(&vm.DeviceConfig{Engine: vm.Interp, Memory: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	passes := map[string]bool{}
	for until := 0; ; until++ {
		ctx := after{context.Background(), new(int), until}
		err := prepare(ctx, d, src)
		var e *vm.CompilingError
		if err == nil {
			break
		}
		if !errors.As(err, &e) || !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("asked %d times: %v", until, err)
		}
		if want := map[bool]string{true: "module long.ptx", false: "kernel k"}[e.Pass == "parse" || e.Pass == "check" || e.Pass == "initialisers" || e.Pass == "link"]; e.What != want {
			t.Errorf("%s of %s, want %s", e.Pass, e.What, want)
		}
		passes[e.Pass] = true
	}
	for _, pass := range []string{"parse", "check", "lower", "blocks", "edges", "dominators", "liveness", "unread", "rows", "initialisers", "link", "decode", "classes", "scalars", "scalar slots"} {
		if !passes[pass] {
			t.Errorf("no deadline came in %s; in %v", pass, passes)
		}
	}
}

func prepare(ctx context.Context, d *vm.Device, src []byte) error {
	m, err := vm.CompileContext(ctx, "long.ptx", src, 0, nil)
	if err != nil {
		return err
	}
	p, err := d.LoadContext(ctx, m)
	if err != nil {
		return err
	}
	defer p.Unload()
	k, err := p.Kernel("")
	if err != nil {
		return err
	}
	return launchOnce(ctx, k)
}

// launchOnce is a launch that the same context bounds while it is prepared, and nothing while it runs.
func launchOnce(ctx context.Context, k *vm.Kernel) error {
	_, err := k.Launch(ctx, vm.Launch{})
	var e *vm.StoppedError
	if errors.As(err, &e) {
		return nil // it was prepared
	}
	return err
}

// TestCompilingMemory: preparing takes no more memory than the device has, or half a GiB.
func TestCompilingMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("a text of 45 MB")
	}
	src := []byte(".version 8.0\n.target sm_80\n.address_size 64\n" + strings.Repeat(" ", 45<<20))
	_, err := vm.CompileContext(context.Background(), "long.ptx", src, 1, nil)
	var e *vm.CompilingError
	if !errors.As(err, &e) || !errors.Is(err, vm.ErrOutOfMemory) || e.Pass != "parse" {
		t.Errorf("%v", err)
	}
}

// TestDeadlineInTime: a module that takes long is left soon after its deadline.
func TestDeadlineInTime(t *testing.T) {
	d, err := vm.NewDevice(&vm.DeviceConfig{Memory: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	src := long(20_000)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	start := time.Now()
	if err := prepare(ctx, d, src); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("ended %v after it began, with a deadline of 10 ms", took)
	}
}

// TestManyTargets: a table of 10,000 targets takes each lane to its own, in both engines, and a loop of few steps among
// as many labels as that executes no more than its steps.
func TestManyTargets(t *testing.T) {
	const n, times = 10_000, 20
	var b strings.Builder
	b.WriteString(".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n")
	b.WriteString(".reg .b32 %r<8>; .reg .b64 %d<3>; .reg .pred %p;\nmov.u32 %r0, %tid.x; mov.u32 %r2, 0; mov.u32 %r4, 0;\nT: .branchtargets ")
	for i := range n {
		fmt.Fprintf(&b, "M%d%s", i, map[bool]string{true: ";\n", false: ","}[i == n-1])
	}
	fmt.Fprintf(&b, "LOOP: mad.lo.u32 %%r5, %%r4, 7919, %%r0; rem.u32 %%r5, %%r5, %d; brx.idx %%r5, T;\n", n)
	for i := range n {
		fmt.Fprintf(&b, "M%d: add.u32 %%r2, %%r2, %d; bra.uni NEXT;\n", i, i)
	}
	fmt.Fprintf(&b, "NEXT: add.u32 %%r4, %%r4, 1; setp.lt.u32 %%p, %%r4, %d; @%%p bra LOOP;\n", times)
	b.WriteString("ld.param.u64 %d0, [out]; mul.wide.u32 %d1, %r0, 4; add.u64 %d0, %d0, %d1; st.global.u32 [%d0], %r2;\nret;\n}\n")
	m, err := vm.Compile("targets.ptx", []byte(b.String()), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, engine := range []vm.Engine{vm.Interp, vm.Auto} {
		d, err := vm.NewDevice(&vm.DeviceConfig{Engine: engine, Memory: 16 << 20})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		p, err := d.Load(m)
		if err != nil {
			t.Fatal(err)
		}
		k, err := p.Kernel("k")
		if err != nil {
			t.Fatal(err)
		}
		out, got := must(vm.Upload(d, make([]uint32, 32))), make([]uint32, 32)
		s, err := k.Launch(context.Background(), vm.Launch{Block: vm.Dim3{X: 32}}, out)
		if err := errors.Join(err, vm.Download(out, got)); err != nil {
			t.Fatal(err)
		}
		for lane, have := range got {
			want := uint32(0)
			for i := range times {
				want += uint32((i*7919 + lane) % n)
			}
			if have != want {
				t.Errorf("%v, lane %d: %d, want %d", engine, lane, have, want)
			}
		}
		if most := uint64(times*(3+32*2+3) + 20); s.WarpInsts > most {
			t.Errorf("%v: %d instructions, want at most %d", engine, s.WarpInsts, most)
		}
	}
}

// must is a value whose making has not failed.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
