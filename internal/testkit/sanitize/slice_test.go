package sanitize

import (
	"errors"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/ptxtest"
)

// TestSliceBounds: a pointer that is passed as a slice of a buffer is held to the slice (SanitizeMem), launch by launch.
func TestSliceBounds(t *testing.T) {
	k := ptxtest.Compile(t, ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {\n.reg .b32 t; .reg .b64 a, o;\n"+
		"mov.u32 t, %tid.x; ld.param.u64 a, [p]; mul.wide.u32 o, t, 4; add.u64 a, a, o;\nst.global.u32 [a], t;\nret; }", "",
		&ptxvm.DeviceConfig{Sanitize: ptxvm.SanitizeMem, Memory: 1 << 20})
	pool, err := k.Device.Alloc(256)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		arg     any
		threads uint32
		want    string // object; empty: no report
	}{
		{pool, 64, ""},
		{pool.Slice(64, 128), 16, ""},
		{pool.Slice(64, 128), 17, "bytes 64 to 128 of a buffer"},
		{pool, 64, ""},
		{pool.Addr() + 64, 17, ""}, // an address knows its allocation alone
		{pool.Slice(64, 128).Slice(0, 4), 2, "bytes 64 to 68 of a buffer"},
		{pool.Slice(8, 8), 1, "bytes 8 to 8 of a buffer"},
	} {
		_, err := k.Try(ptxvm.Launch{Block: ptxvm.Dim3{X: test.threads}}, test.arg)
		var found *ptxvm.SanitizerError
		switch {
		case test.want == "" && err == nil:
		case test.want == "" || !errors.As(err, &found):
			t.Errorf("%v, %d threads: %v", test.arg, test.threads, err)
		case found.Reports[0].Code != diag.OutsideObject || found.Reports[0].Object != test.want:
			t.Errorf("%v, %d threads: object %q, want %q", test.arg, test.threads, found.Reports[0].Object, test.want)
		}
	}
}
