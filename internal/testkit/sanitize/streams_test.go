package sanitize

import (
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
)

// meeting are kernels that run at the same time: hold writes word 8 and waits until it may end; fill writes words from an index
// on, look reads one, and signal writes only what hold looks at.
const meeting = `.version 8.0
.target sm_80
.address_size 64
.visible .entry hold(.param .u64 p)
{
	.reg .b64 g; .reg .b32 x; .reg .pred ok;
	ld.param.u64 g, [p];
	st.global.u32 [g+32], 5;
again:
	ld.relaxed.sys.global.u32 x, [g+4];
	setp.eq.u32 ok, x, 0;
	@ok bra again;
	ret;
}
.visible .entry fill(.param .u64 p, .param .u32 from)
{
	.reg .b64 g, o; .reg .b32 t, n;
	ld.param.u64 g, [p]; ld.param.u32 n, [from];
	mov.u32 t, %tid.x; add.u32 t, t, n; mul.wide.u32 o, t, 4; add.u64 g, g, o;
	st.global.u32 [g], t;
	ret;
}
.visible .entry look(.param .u64 p, .param .u32 from)
{
	.reg .b64 g, o; .reg .b32 t, n;
	ld.param.u64 g, [p]; ld.param.u32 n, [from];
	mul.wide.u32 o, n, 4; add.u64 g, g, o;
	ld.global.u32 t, [g];
	ret;
}
.visible .entry signal(.param .u64 p)
{
	.reg .b64 g;
	ld.param.u64 g, [p];
	st.relaxed.sys.global.u32 [g+4], 1;
	ret;
}
`

// TestConcurrentLaunches: what a Go program launches and copies while a kernel runs must not meet what that touches.
func TestConcurrentLaunches(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(r *concurrent) error // while hold runs
		want string
	}{
		{"a kernel that writes the same word", func(r *concurrent) error { return r.launch("fill", uint32(8)) }, "which kernel fill of another launch writes"},
		{"a kernel that reads it", func(r *concurrent) error { return r.launch("look", uint32(8)) }, "which kernel look of another launch reads"},
		{"a kernel that writes others", func(r *concurrent) error { return r.launch("fill", uint32(9)) }, ""},
		{"a kernel that reads others", func(r *concurrent) error { return r.launch("look", uint32(9)) }, ""},
		{"a copy of the word", func(r *concurrent) error { return r.write(8) }, "which a copy writes"},
		{"a copy from the word", func(r *concurrent) error { _, err := r.b.ReadAt(make([]byte, 64), 0); return err }, "which a copy reads"},
		{"a copy from the word alone", func(r *concurrent) error { _, err := r.b.ReadAt(make([]byte, 4), 32); return err }, "which a copy reads"},
		{"a copy of other words", func(r *concurrent) error { return r.write(9) }, ""},
		{"a copy of the word, and of what hold looks at", func(r *concurrent) error { return errors.Join(r.write(8), r.write(1)) }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newConcurrent(t)
			ended := make(chan error)
			go func() { ended <- r.launch("hold") }()
			<-r.runs
			if err := c.do(r); err != nil {
				t.Error(err)
			}
			if err := r.launch("signal"); err != nil {
				t.Error(err)
			}
			err := <-ended
			var found *ptxvm.SanitizerError
			switch {
			case c.want == "" && err == nil:
			case !errors.As(err, &found) || c.want == "":
				t.Errorf("want %q, got %v", c.want, err)
			case len(found.Reports) != 1 || !strings.Contains(found.Reports[0].Msg, c.want) || found.Reports[0].Code.String() != "P8002":
				t.Errorf("want %q, got %s", c.want, found.Detail())
			case found.Reports[0].Here.PTX.Line != 8 || strings.Contains(c.want, "kernel") != (found.Reports[0].Other != nil && found.Reports[0].Other.PTX.Line > 8):
				t.Errorf("the places: %s", found.Detail())
			}
			if err := r.launch("fill", uint32(8)); err != nil { // behind the others
				t.Error(err)
			}
		})
	}
}

// concurrent is a device with the kernels.
type concurrent struct {
	p    *ptxvm.Program
	b    ptxvm.Buffer
	runs chan bool // that a kernel runs for a while
}

func newConcurrent(t *testing.T) *concurrent {
	m, err := ptxvm.Compile("k.ptx", []byte(meeting), nil)
	if err != nil {
		t.Fatal(err)
	}
	r := &concurrent{runs: make(chan bool, 1)}
	d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Arch: "sm_80", Memory: 1 << 24, Sanitize: ptxvm.SanitizeRace, Progress: func(ptxvm.Progress) {
		select {
		case r.runs <- true:
		default:
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	if r.p, err = d.Load(m); err != nil {
		t.Fatal(err)
	}
	if r.b, err = ptxvm.Upload(d, make([]uint32, 64)); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *concurrent) launch(name string, more ...any) error {
	k, err := r.p.Kernel(name)
	if err == nil {
		_, err = k.Launch(context.Background(), ptxvm.Launch{}, append([]any{r.b}, more...)...)
	}
	return err
}

func (r *concurrent) write(word int64) error {
	_, err := r.b.WriteAt(binary.LittleEndian.AppendUint32(nil, 1), word*4)
	return err
}
