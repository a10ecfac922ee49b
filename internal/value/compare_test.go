package value

import (
	"testing"
)

// TestCompare compares pairs whose distance follows from the formats alone.
func TestCompare(t *testing.T) {
	for _, c := range []struct {
		typ, have, want, tol string
		same                 bool
		ulp                  uint64
	}{
		{"f32", "1", "1", "", true, 0},
		{"f32", "0", "-0", "", false, 0},
		{"f32", "0", "-0", "ulp=0", true, 0},
		{"f32", "0x3f800001", "1", "ulp=0", false, 1},
		{"f32", "0x3f800001", "1", "ulp=1", true, 1},
		{"f32", "0x00000002", "0x80000001", "ulp=2", false, 3},
		{"f32", "nan", "nan:0x7fc00000", "", false, 0},
		{"f32", "nan", "nan:0x7fc00000", "ulp=0", true, 0},
		{"f32", "nan", "1", "rtol=9", false, 0},
		{"f32", "inf", "inf", "rtol=1", true, 0},
		{"f32", "inf", "-inf", "rtol=1", false, 0xff000000},
		{"f32", "101", "100", "rtol=0.01", true, 0},
		{"f32", "101.1", "100", "rtol=0.01", false, 144179},
		{"f32", "0.25", "0", "atol=0.25", true, 0},
		{"f16", "65504", "inf", "ulp=1", true, 1},
		{"f64", "0x3ff0000000000003", "1", "ulp=2", false, 3},
		{"s8", "-128", "127", "ulp=254", false, 255},
		{"s32", "-3", "3", "atol=6", true, 0},
		{"u64", "18446744073709551615", "0", "", false, 1<<64 - 1},
		{"ue8m0", "2", "1", "atol=1", true, 1},
		{"b128", "1", "2", "ulp=9", false, 0},
	} {
		typ, err := ParseType(c.typ)
		if err != nil {
			t.Fatal(err)
		}
		have, err := typ.Parse(c.have)
		want, err2 := typ.Parse(c.want)
		var tol Tolerance
		if c.tol != "" {
			tol, err = ParseTolerance(c.tol)
		}
		if err != nil || err2 != nil {
			t.Fatal(c, err, err2)
		}
		list, n := typ.Compare(have, want, tol, 1)
		if (n == 0) != c.same || n == 1 && list[0].ULP != c.ulp {
			t.Errorf("%+v: %d differences %+v", c, n, list)
		}
	}
}

// TestTolerance refuses what is none.
func TestTolerance(t *testing.T) {
	for _, text := range []string{"", "1", "rtol", "rtol=-1", "atol=nan", "atol=inf", "ulp=-1", "ulp=1.5", "ulp=1,rtol=1", "ulps=1"} {
		if tol, err := ParseTolerance(text); err == nil {
			t.Errorf("%q is %+v", text, tol)
		}
	}
}
