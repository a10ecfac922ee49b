package ptxtest_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/ptxtest"
)

// scale multiplies n floats by 2 and counts in an integer; behind the end it faults.
const scale = `.version 8.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 x, .param .u32 n, .param .u64 count)
{
	.reg .pred %p;
	.reg .b32 %r<3>;
	.reg .f32 %f;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [x];
	ld.param.u32 %r1, [n];
	ld.param.u64 %rd3, [count];
	mov.u32 %r2, %tid.x;
	setp.ge.u32 %p, %r2, %r1;
	@%p ret;
	mul.wide.u32 %rd2, %r2, 4;
	add.u64 %rd1, %rd1, %rd2;
	ld.global.f32 %f, [%rd1];
	add.f32 %f, %f, %f;
	st.global.f32 [%rd1], %f;
	red.global.add.u32 [%rd3], 1;
	ret;
}
`

func TestRun(t *testing.T) {
	x, count := []float32{1, 2.5, -3, 0}, []int32{7}
	k := ptxtest.Compile(t, scale, "", nil)
	stats := k.Run(ptxvm.Launch{Block: ptxvm.Dim3{X: 32}}, x, uint32(3), count)
	ptxtest.Equal(t, x, []float32{2, 5, -6, 0})
	ptxtest.Equal(t, count, []int32{10})
	if k.Device.Arch() != "sm_80" || stats.CTAs != 1 {
		t.Errorf("device %s, %d CTAs", k.Device.Arch(), stats.CTAs)
	}
	before, _ := k.Device.Memory()
	k.Run(ptxvm.Launch{}, make([]float32, 1<<16), uint32(1), count)
	if used, _ := k.Device.Memory(); used != before {
		t.Errorf("%d bytes are in use, before they were %d", used, before)
	}
}

func TestTry(t *testing.T) {
	_, err := ptxtest.Compile(t, scale, "scale", nil).Try(ptxvm.Launch{Block: ptxvm.Dim3{X: 300}}, make([]float32, 4), uint32(300), []int32{0})
	var fault *ptxvm.Fault
	if !errors.As(err, &fault) || fault.Thread.X == 0 {
		t.Errorf("got %v, want a fault", err)
	}
}

// TestBytes: []byte is the bytes of a parameter.
func TestBytes(t *testing.T) {
	x := []float32{1, 1}
	ptxtest.Compile(t, scale, "", nil).Run(ptxvm.Launch{Block: ptxvm.Dim3{X: 2}}, x, []byte{1, 0, 0, 0}, []uint32{0})
	ptxtest.Equal(t, x, []float32{2, 1})
}

// said is a test that notes what it is told instead of failing.
type said struct {
	testing.TB
	text  string
	fatal bool
}

func (s *said) Helper()                   {}
func (s *said) Name() string              { return "said" }
func (s *said) Context() context.Context  { return context.Background() }
func (s *said) Cleanup(func())            {}
func (s *said) Error(args ...any)         { s.text += fmt.Sprint(args...) }
func (s *said) Errorf(f string, a ...any) { s.text += fmt.Sprintf(f, a...) }
func (s *said) Fatal(args ...any)         { s.Error(args...); s.fatal = true; panic(s) }

// telling runs f, which may end the test, and returns what it said.
func telling(f func(t testing.TB)) (s *said) {
	s = &said{}
	defer func() {
		if end := recover(); end != nil && end != any(s) {
			panic(end)
		}
	}()
	f(s)
	return s
}

// TestMessages: what a failing test says.
func TestMessages(t *testing.T) {
	nan := math.Float32frombits(0x7fffffff) // that of PTX
	for name, c := range map[string]struct {
		fatal bool
		want  []string
		f     func(t testing.TB)
	}{
		"differ": {false, []string{"2 of 3 values differ:", "[1] is 2, want 2.0000002 (1 ulp)", "[2] is nan"}, func(t testing.TB) {
			ptxtest.Equal(t, []float32{1, 2, nan}, []float32{1, math.Nextafter32(2, 3), 1})
		}},
		"near": {false, nil, func(t testing.TB) {
			ptxtest.Near(t, []float32{1, nan}, []float32{math.Nextafter32(1, 2), nan}, "ulp=1")
		}},
		"far":      {false, []string{"1 of 1 values differ"}, func(t testing.TB) { ptxtest.Near(t, []float64{1}, []float64{1.1}, "rtol=0.01") }},
		"zeros":    {false, []string{"[0] is -0, want 0"}, func(t testing.TB) { ptxtest.Equal(t, []float32{float32(math.Copysign(0, -1))}, []float32{0}) }},
		"length":   {false, []string{"2 values, want 1"}, func(t testing.TB) { ptxtest.Equal(t, []int8{1, 2}, []int8{1}) }},
		"half":     {false, []string{"[0] is 1, want 2 (1024 ulp)"}, func(t testing.TB) { ptxtest.Equal(t, []ptxvm.Float16{0x3c00}, []ptxvm.Float16{0x4000}) }},
		"bfloat":   {false, []string{"[0] is 1, want 2 (128 ulp)"}, func(t testing.TB) { ptxtest.Equal(t, []ptxvm.BFloat16{0x3f80}, []ptxvm.BFloat16{0x4000}) }},
		"bound":    {true, []string{"tolerance"}, func(t testing.TB) { ptxtest.Near(t, []int32{1}, []int32{1}, "about") }},
		"module":   {true, []string{"P3", "add.f99", "^"}, func(t testing.TB) { ptxtest.Compile(t, strings.Replace(scale, "add.f32", "add.f99", 1), "", nil) }},
		"kernel":   {true, []string{`no kernel "scaled"; did you mean scale?`}, func(t testing.TB) { ptxtest.Compile(t, scale, "scaled", nil) }},
		"argument": {true, []string{"takes 3 arguments"}, func(t testing.TB) { ptxtest.Compile(t, scale, "", nil).Run(ptxvm.Launch{}) }},
		"fault": {true, []string{"P7001", "ptx:", "red.global.add.u32 [%rd3], 1;"}, func(t testing.TB) {
			ptxtest.Compile(t, scale, "", nil).Run(ptxvm.Launch{}, []float32{0}, uint32(1), uint64(1<<40))
		}},
	} {
		s := telling(c.f)
		if s.fatal != c.fatal || (len(c.want) == 0) != (s.text == "") {
			t.Errorf("%s: fatal %v: %s", name, s.fatal, s.text)
		}
		for _, want := range c.want {
			if !strings.Contains(s.text, want) {
				t.Errorf("%s: no %q in %s", name, want, s.text)
			}
		}
	}
}

// TestGuide holds the example of the package to one that runs.
func TestGuide(t *testing.T) {
	src, err := os.ReadFile("../examples/saxpy/saxpy.ptx")
	if err != nil {
		t.Fatal(err)
	}
	saxpyPTX := strings.Replace(string(src), "setp.gt.s32", "setp.ge.s32", 1) // the example faults by one
	x, y := []float32{0, 1, 2}, []float32{1, 1, 1}
	k := ptxtest.Compile(t, saxpyPTX, "saxpy", nil)
	k.Run(ptxvm.Launch{Block: ptxvm.Dim3{X: 32}}, int32(3), float32(2.5), x, y)
	ptxtest.Equal(t, y, []float32{1, 3.5, 6})
}
