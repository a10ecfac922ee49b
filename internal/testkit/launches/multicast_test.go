package launches_test

import (
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/diag"
)

// allReduce adds what the copies of its buffer hold, each device for its part, and stores the sum to all.
const allReduce = `.version 8.1
.target sm_90
.address_size 64
.visible .entry allreduce(.param .u64 mc, .param .u32 first)
{
	.reg .b64 %rd<3>;
	.reg .b32 %r<3>;
	ld.param.u64 %rd1, [mc];
	ld.param.u32 %r1, [first];
	mov.u32 %r2, %tid.x;
	add.u32 %r1, %r1, %r2;
	mad.wide.u32 %rd1, %r1, 4, %rd1;
	multimem.ld_reduce.relaxed.sys.global.add.u32 %r2, [%rd1];
	multimem.st.relaxed.sys.global.u32 [%rd1], %r2;
	ret;
}
.visible .entry plain(.param .u64 mc)
{
	.reg .b64 %rd<2>;
	.reg .b32 %r<2>;
	ld.param.u64 %rd1, [mc];
	ld.global.u32 %r1, [%rd1];
	st.global.u32 [%rd1+4], %r1;
	ret;
}
`

// TestMulticast: four devices, each with a launch of its own at the same time, reduce a buffer of which each has a copy.
func TestMulticast(t *testing.T) {
	for _, sanitize := range []ptxvm.Sanitize{0, ptxvm.SanitizeInit | ptxvm.SanitizeRace} {
		allReduceOn(t, sanitize)
	}
}

func allReduceOn(t *testing.T, sanitize ptxvm.Sanitize) {
	const n, each = 4, 32
	devices, err := ptxvm.NewDevices(n, &ptxvm.DeviceConfig{Memory: 1 << 20, Sanitize: sanitize})
	if err != nil {
		t.Fatal(err)
	}
	module, err := ptxvm.Compile("allreduce.ptx", []byte(allReduce), nil)
	if err != nil {
		t.Fatal(err)
	}
	var copies []ptxvm.Buffer
	for k, d := range devices {
		defer d.Close()
		b, err := d.Alloc(4 * n * each)
		if err == nil {
			err = ptxvm.Fill(b, uint32(1)<<(8*k))
		}
		if err != nil {
			t.Fatal(err)
		}
		copies = append(copies, b)
	}
	mc, err := devices[0].NewMulticast(copies...)
	if err != nil || mc.Len() != 4*n*each {
		t.Fatal(mc, err)
	}
	errs := make(chan error, n)
	for k, d := range devices {
		go func() {
			_, err := launchOn(d, module, "allreduce", mc.Addr(), uint32(each*k))
			errs <- err
		}()
	}
	for range n {
		if err := <-errs; err != nil {
			t.Fatal(err)
		}
	}
	for k, b := range copies {
		data := make([]byte, b.Len())
		if _, err := b.ReadAt(data, 0); err != nil {
			t.Fatal(err)
		}
		for i := range n * each {
			if got := binary.LittleEndian.Uint32(data[4*i:]); got != 0x01010101 {
				t.Fatalf("device %d, element %d is %#x", k, i, got)
			}
		}
	}
	refusesMulticast(t, devices, module, copies, mc)
}

func launchOn(d *ptxvm.Device, m *ptxvm.Module, kernel string, args ...any) (any, error) {
	p, err := d.Load(m)
	if err != nil {
		return nil, err
	}
	k, err := p.Kernel(kernel)
	if err != nil {
		return nil, err
	}
	return k.Launch(context.Background(), ptxvm.Launch{Grid: ptxvm.Dim3{X: 1}, Block: ptxvm.Dim3{X: 32}}, args...)
}

// refusesMulticast: a range is refused that its buffers do not make, and an access that it does not hold.
func refusesMulticast(t *testing.T, devices []*ptxvm.Device, module *ptxvm.Module, copies []ptxvm.Buffer, mc ptxvm.Multicast) {
	t.Helper()
	other, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Memory: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	foreign, _ := other.Alloc(copies[0].Len())
	for _, c := range []struct {
		copies []ptxvm.Buffer
		want   string
	}{
		{nil, "without memory"},
		{[]ptxvm.Buffer{copies[0], foreign}, "another machine"},
		{[]ptxvm.Buffer{copies[0], copies[1].Slice(0, 16)}, "16 bytes, copy 0 has 512"},
		{[]ptxvm.Buffer{copies[0].Slice(4, 20), copies[1].Slice(0, 16)}, "no multiple of 16"},
		{[]ptxvm.Buffer{copies[0], {}}, ptxvm.ErrClosed.Error()},
	} {
		if _, err := devices[0].NewMulticast(c.copies...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.copies, err, c.want)
		}
	}
	code := func(err error) diag.Code {
		var f *ptxvm.Fault
		if !errors.As(err, &f) {
			t.Fatal("no fault:", err)
		}
		return f.Code
	}
	if _, err := launchOn(devices[1], module, "allreduce", mc.Addr(), uint32(512/4-31)); code(err) != diag.NotMulticast {
		t.Error("an element behind the range:", err)
	}
	if _, err := launchOn(devices[1], module, "allreduce", copies[1].Addr(), uint32(0)); code(err) != diag.NotMulticast {
		t.Error("a buffer's own address:", err)
	}
	if _, err := launchOn(devices[1], module, "plain", mc.Addr()); code(err) != diag.OutOfBounds {
		t.Error("a plain load of the range:", err)
	}
	if err := mc.Free(); err != nil {
		t.Error(err)
	}
	if _, err := launchOn(devices[0], module, "allreduce", mc.Addr(), uint32(0)); code(err) != diag.NotMulticast {
		t.Error("a range that has ended:", err)
	}
	if err := mc.Free(); err != nil {
		t.Error("Free is idempotent, as a buffer's:", err)
	}
}
