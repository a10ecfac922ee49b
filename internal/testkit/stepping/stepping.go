// Package stepping makes launches for tests of the debugger.
package stepping

import (
	"context"
	"errors"
	"io"
	"testing"

	"ptxvm.invalid/ptxvm/internal/debug"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// Kernels are a function that is called, lanes that part, a loop, shared memory and a barrier.
const Kernels = `.version 8.0
.target sm_90
.address_size 64
.func (.reg .u32 %r) double(.reg .u32 %a) {
	.reg .u32 %t;
	add.u32 %t, %a, %a;
	mov.u32 %r, %t;
	ret;
}
.visible .entry k(.param .u64 out) {
	.reg .u64 %p;
	.reg .u32 %lane, %x, %y, %i;
	.reg .pred %odd, %more;
	.shared .u32 s[64];
	ld.param.u64 %p, [out];
	mov.u32 %lane, %tid.x;
	mad.wide.u32 %p, %lane, 4, %p;
	mul.lo.u32 %x, %lane, 10;
	and.b32 %y, %lane, 1;
	setp.ne.u32 %odd, %y, 0;
	@%odd bra ODD;
	add.u32 %x, %x, 1;
	bra JOIN;
ODD:
	add.u32 %x, %x, 2;
	add.u32 %x, %x, 3;
JOIN:
	mov.u32 %i, 0;
LOOP:
	add.u32 %i, %i, 1;
	setp.lt.u32 %more, %i, 4;
	@%more bra LOOP;
	call (%x), double, (%x);
	mov.u32 %y, s;
	mad.lo.u32 %y, %lane, 4, %y;
	st.shared.u32 [%y], %x;
	bar.sync 0;
	ld.shared.u32 %x, [s+4];
	st.global.u32 [%p], %x;
	ret;
}
`

// Target launches a kernel of a text, k.ptx, on fresh devices; its argument is a buffer of so many bytes.
func Target(t testing.TB, src, kernel string, shape vm.Launch, bytes int) debug.Target {
	t.Helper()
	return Checked(t, src, kernel, shape, bytes, "")
}

// Checked is Target of a launch that sanitizers look at.
func Checked(t testing.TB, src, kernel string, shape vm.Launch, bytes int, sanitize string) debug.Target {
	t.Helper()
	checks, err := vm.ParseSanitize(sanitize)
	if err != nil {
		t.Fatal(err)
	}
	m, err := vm.Compile("k.ptx", []byte(src), nil)
	if err != nil {
		t.Fatal(err)
	}
	return debug.Target{Open: func(w vm.Watch, seed uint64, out io.Writer) (*debug.Launch, error) {
		d, err := vm.NewDevice(&vm.DeviceConfig{Engine: vm.Interp, Workers: 1, Deterministic: true, Seed: seed, Stdout: out, Memory: 1 << 24, Arch: "sm_90", Sanitize: checks})
		if err != nil {
			return nil, err
		}
		debug.Prepare(d)
		launch, err := open(d, m, kernel, bytes)
		if err != nil {
			return nil, errors.Join(err, d.Close())
		}
		return &debug.Launch{Kernel: launch.kernel, Shape: shape, Close: d.Close, Run: func(ctx context.Context) error {
			_, err := launch.kernel.Watch(ctx, shape, w, launch.buffer)
			return err
		}}, nil
	}}
}

type opened struct {
	kernel *vm.Kernel
	buffer vm.Buffer
}

func open(d *vm.Device, m *vm.Module, kernel string, bytes int) (o opened, err error) {
	p, err := d.Load(m)
	if err != nil {
		return o, err
	}
	if o.kernel, err = p.Kernel(kernel); err != nil {
		return o, err
	}
	o.buffer, err = d.Alloc(bytes)
	return o, err
}

// Open begins a session, which ends with the test.
func Open(t testing.TB, to debug.Target) *debug.Session {
	t.Helper()
	s, err := debug.Open(to)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
