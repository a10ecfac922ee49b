package vm

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"
)

// packed is a struct that C pads: 1+3, 4, 2+6, 8, 3×2+2.
type packed struct {
	A uint8
	B float32
	C int16
	D Buffer
	E [3]uint16
}

type hidden struct{ buffer Buffer }

func testDevice(t testing.TB, cfg DeviceConfig) *Device {
	t.Helper()
	if cfg.Memory == 0 {
		cfg.Memory = 64 << 20
	}
	d, err := NewDevice(&cfg)
	if errors.Is(err, ErrNoJIT) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func testBuffer(t testing.TB, d *Device, n int) Buffer {
	t.Helper()
	b, err := d.Alloc(n)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestStructLayout holds aggregates to C's layout.
func TestStructLayout(t *testing.T) {
	d := testDevice(t, DeviceConfig{})
	b := testBuffer(t, d, 16)
	address := make([]byte, 8)
	for i := range address {
		address[i] = byte(b.Addr() >> (8 * i))
	}
	want := append([]byte{7, 0, 0, 0, 0, 0, 0x80, 0x3f, 0xfe, 0xff, 0, 0, 0, 0, 0, 0}, address...)
	want = append(want, 1, 0, 2, 0, 3, 0, 0, 0)
	got, err := d.encodeArg(packed{7, 1, -2, b, [3]uint16{1, 2, 3}})
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("got % x (%v)\nwant % x", got, err, want)
	}
	if got, err := d.encodeArg(hidden{b.Slice(4, 8)}); err != nil || got[0] != address[0]+4 {
		t.Errorf("an unexported Buffer gives % x, %v", got, err)
	}
}

// TestPackNumber holds the short way for numbers and buffers to encodeArg, and leaves wrong sizes to it.
func TestPackNumber(t *testing.T) {
	d := testDevice(t, DeviceConfig{})
	nan := math.Float32frombits(0xffc00001)
	for _, arg := range []any{int32(-2), uint32(math.MaxUint32), nan, float32(-1.5), int64(math.MinInt64), uint64(math.MaxUint64), testBuffer(t, d, 16)} {
		want, err := d.encodeArg(arg)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{2, 4, 8, 16} {
			got := make([]byte, size)
			if ok := d.packNumber(got, size, arg); ok != (size == len(want)) || ok && !bytes.Equal(got, want) {
				t.Errorf("%T for %d bytes: %t, % x; want % x", arg, size, ok, got, want)
			}
		}
	}
	b := testBuffer(t, d, 16)
	if err := b.Free(); err != nil || d.packNumber(make([]byte, 8), 8, b) {
		t.Errorf("a freed buffer is packed (%v)", err)
	}
}

// TestArgumentErrors lists arguments that cannot be passed.
func TestArgumentErrors(t *testing.T) {
	d, other := testDevice(t, DeviceConfig{}), testDevice(t, DeviceConfig{})
	freed := testBuffer(t, d, 1)
	if err := freed.Free(); err != nil {
		t.Fatal(err)
	}
	params := []ParamInfo{{Name: "p", Type: "u64", Size: 8, Align: 8}}
	for name, c := range map[string]struct {
		arg  any
		want string
	}{
		"int":     {1, "fixed-size number"},
		"nil":     {nil, "uint64(0)"},
		"pointer": {&params, "fixed-size number"},
		"slice":   {[]uint32{1}, "fixed-size number"},
		"string":  {"x", "fixed-size number"},
		"size":    {uint32(1), "has 4 bytes, the parameter .param .u64 p needs 8"},
		"zero":    {Buffer{}, "zero Buffer"},
		"other":   {testBuffer(t, other, 1), "another device"},
		"field":   {struct{ X string }{"x"}, "field X"},
		"type":    {uint32(1), "argument 0 (uint32)"},
		"ours":    {Swizzle{}, "argument 0 (ptxvm.Swizzle)"},
		"list":    {[]Buffer{}, "argument 0 ([]ptxvm.Buffer)"},
		"own":     {&packed{}, "argument 0 (*ptxvm.packed)"},
	} {
		var arg *ArgError
		err := d.packArgs(make([]byte, 8), "k", params, []any{c.arg})
		if !errors.As(err, &arg) || !strings.Contains(err.Error(), c.want) || arg.Index != 0 || !strings.Contains(arg.Signature, ".u64 p") {
			t.Errorf("%s: %v, want an ArgError with %q", name, err, c.want)
		}
	}
	if err := d.packArgs(make([]byte, 8), "k", params, []any{freed}); !errors.Is(err, ErrClosed) {
		t.Errorf("a freed buffer: %v", err)
	}
	if err := d.packArgs(make([]byte, 8), "k", params, nil); err == nil || !strings.Contains(err.Error(), "takes 1 arguments, not 0") {
		t.Errorf("no argument: %v", err)
	}
}
