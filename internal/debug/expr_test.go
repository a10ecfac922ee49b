package debug_test

import (
	"strconv"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/debug"
	"ptxvm.invalid/ptxvm/internal/testkit/stepping"
	"ptxvm.invalid/ptxvm/internal/vm"
)

func itoa(n int) string { return strconv.Itoa(n) }

// TestExpressions evaluates in the middle of a kernel, where lane 3 is in focus.
func TestExpressions(t *testing.T) {
	s := stepping.Open(t, stepping.Target(t, stepping.Kernels, "k", vm.Launch{Block: vm.Dim3{X: 64}}, 256))
	if _, err := s.UntilPlace("k.ptx:38", true); err != nil {
		t.Fatal(err)
	}
	f := s.Focus()
	f.Lane = 3
	if err := s.SetFocus(f); err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(expressions), "\n") {
		text, want, _ := strings.Cut(line, "  ")
		if have := eval(t, s, text); have != strings.TrimSpace(want) {
			t.Errorf("%s = %s, want %s", text, have, strings.TrimSpace(want))
		}
	}
}

// expressions with what they come to: %lane is 3, %x = 2·(10·3+5) = 70.
const expressions = `
%x  70
%x@5  110
%lane + 1  4
%lane - 4  4294967295
-%lane  4294967293
^%lane  4294967292
~0  -1
%lane << 4 | 1  49
%x &^ 6  64
%x % 7 == 0  true
!(%lane > 2)  false
%lane == 3 && %x > 9 || 1/0  true
%lane == 4 && 1/0 == 1  false
1/0  Division by zero
f32(%x) / 4  17.5
s32(-7.9)  -7
u8(%x + 250)  64
%x:f32  9.8e-44
0f40490fdb  3.1415927
1e3  1000
0x10  16
%tid.x  3
%ntid.x  64
%laneid  3
%tid.q  A syntax error in expression, near ` + "`q'." + `
s[3]  70
s[1+1]  42
s:u16[2]  30
s:f64[40]  Cannot access shared memory at address 0x540: a CTA has 0x400 to 0x500
[s+4]  30
[s+4]:u8  30
[shared 0x404]:u32  30
&s[2] - &s[0]  8
*&s[2]  42
[out]:u32  0
out[1]  0
[local 0]:u32  0
[param 0]:u64 == out  true
%odd  true
%nothing  No register "%nothing" in current context.
%lame  No register "%lame" in current context. Did you mean "%lane"?
nope  No symbol "nope" in current context.
%x@32  Want a lane from 0 to 31, or warp, behind @.
1 +  A syntax error in expression, near ` + "`'." + `
1 2  A syntax error in expression, near ` + "`2'." + `
"  Invalid character '"' in expression.
`

// FuzzExpr reads hostile expressions, and evaluates those that can be read.
func FuzzExpr(f *testing.F) {
	for _, line := range strings.Split(strings.TrimSpace(expressions), "\n") {
		text, _, _ := strings.Cut(line, "  ")
		f.Add(text)
	}
	f.Add(strings.Repeat("(", 500))
	f.Add(strings.Repeat("-", 500) + "1")
	f.Add(strings.Repeat("[", 300) + "s" + strings.Repeat("]", 300))
	s := stepping.Open(f, stepping.Target(f, stepping.Kernels, "k", vm.Launch{Block: vm.Dim3{X: 40}}, 256))
	if _, err := s.UntilPlace("k.ptx:38", true); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := debug.ParseExpr(text)
		if err != nil {
			return
		}
		scope, err := s.Scope()
		if err != nil {
			t.Fatal(err)
		}
		list, err := scope.EachLane(e)
		for i := range list {
			v := list[i].Value
			if err == nil && v.Count > 0 {
				_, _ = scope.Elements(&v, 8) // whatever it says
			} else if err == nil {
				for _, format := range []byte{0, 'x', 'd', 'u', 'o', 't', 'f', 'c', 'a', 'z'} {
					debug.FormatValue(&v, format)
				}
			}
		}
		_, _, _, _ = scope.Address(e)
	})
}
