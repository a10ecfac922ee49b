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
