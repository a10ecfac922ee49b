package sched

// Local memory is the depot of each function on the call chain and what alloca made: what lies past them
// is a fault, by .local and generic addresses of 32 and 64 bits, in both engines.

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
)

const localModule = `.version 8.5
.target sm_90
.address_size 64
.func (.param .b32 r) deeper(.param .b64 at)
{
	.local .align 16 .b8 own[20];
	.reg .b64 %a, %d;
	.reg .b32 %s, %r4, %v;
	mov.u64 %a, own;
	st.local.u32 [own+16], 1;
	ld.param.u64 %d, [at];
	mov.u32 %v, 7;
	DEEP
	st.param.b32 [r], 0;
	ret;
}
.visible .entry k(.param .u64 data, .param .s64 off)
{
	.local .align 4 .b8 depot[40];
	.reg .b64 %a, %d, %g, %p;
	.reg .b32 %s, %r4, %v;
	mov.u64 %a, depot;
	ld.param.u64 %d, [off];
	mov.u32 %v, 7;
	BODY
	ret;
}
`

// callDeeper passes %d on, which DEEP uses.
const callDeeper = `
	{ .param .b64 p0; .param .b32 q0; st.param.b64 [p0], %d; call (q0), deeper, (p0); ld.param.b32 %v, [q0]; }`

// localAccesses touch a word of the depot at an offset, or of what alloca made.
var localAccesses = []struct {
	name, body, deep string
	size             int64 // bytes that exist
}{
	{"store by 64 bits", "add.u64 %a, %a, %d; st.local.u32 [%a], %v;", "", 40},
	{"load by 64 bits", "add.u64 %a, %a, %d; ld.local.u32 %v, [%a];", "", 40},
	{"store by 32 bits", "cvt.u32.u64 %s, %a; cvt.u32.u64 %r4, %d; add.u32 %s, %s, %r4; st.local.u32 [%s], %v;", "", 40},
	{"generic store", "cvta.local.u64 %a, %a; add.u64 %a, %a, %d; st.u32 [%a], %v;", "", 40},
	{"generic load", "cvta.local.u64 %a, %a; add.u64 %a, %a, %d; ld.u32 %v, [%a];", "", 40},
	{"by lanes", "mov.u32 %s, %laneid; and.b32 %s, %s, 1; mul.wide.u32 %g, %s, 4; add.u64 %a, %a, %g; add.u64 %a, %a, %d; add.u64 %a, %a, -4; st.local.u32 [%a], %v;", "", 40},
	{"constant", "st.local.u32 [depot+OFF], %v;", "", 40},
	{"constant load", "ld.local.u16 %v, [depot+OFF]; ld.local.u32 %v, [depot+OFF];", "", 40},
	{"of the caller", "add.u64 %d, %d, %a; cvta.local.u64 %d, %d;" + callDeeper, "st.u32 [%d], %v;", 40},
	{"of the callee", callDeeper, "add.u64 %a, %a, %d; st.local.u32 [%a], %v;", 20},
	{"alloca", "alloca.u64 %a, 24, 8; add.u64 %a, %a, %d; st.local.u32 [%a], %v;", "", 24},
	{"generic alloca", "alloca.u64 %a, 24, 8; cvta.local.u64 %a, %a; add.u64 %a, %a, %d; ld.u32 %v, [%a];", "", 24},
	{"alloca that has ended", "stacksave.u64 %g; alloca.u64 %p, 24, 8; stackrestore.u64 %g; add.u64 %a, %a, %d; st.local.u32 [%a], %v;", "", 40},
}

// TestLocalBounds: the last word is there, what follows it is not.
func TestLocalBounds(t *testing.T) {
	for _, c := range localAccesses {
		t.Run(c.name, func(t *testing.T) {
			for _, engine := range []ptxvm.Engine{ptxvm.Interp, ptxvm.JIT} {
				for _, off := range []int64{0, c.size - 4, c.size, c.size + 1024, 1 << 30} {
					if strings.Contains(c.name, "by lanes") && off == 0 {
						continue
					}
					src := strings.NewReplacer("BODY", c.body, "DEEP", c.deep).Replace(localModule)
					src = strings.ReplaceAll(src, "OFF", fmt.Sprint(off))
					err := runLocal(t, engine, src, off)
					var fault *ptxvm.Fault
					switch inside := off <= c.size-4; {
					case errors.Is(err, ptxvm.ErrNoJIT):
					case inside && err != nil:
						t.Errorf("%v, offset %d of %d: %v", engine, off, c.size, err)
					case !inside && !(errors.As(err, &fault) && strings.Contains(err.Error(), "P7001")):
						t.Errorf("%v, offset %d of %d: have %v, want P7001", engine, off, c.size, err)
					}
				}
			}
		})
	}
}

func runLocal(t *testing.T, engine ptxvm.Engine, src string, off int64) error {
	t.Helper()
	m, err := ptxvm.Compile("k.ptx", []byte(src), nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Arch: m.Target(), Engine: engine, Workers: 1, Memory: 1 << 20, MaxSteps: 1 << 20})
	if err != nil {
		return err
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
	b, err := ptxvm.Upload(d, make([]uint32, 64))
	if err != nil {
		t.Fatal(err)
	}
	_, err = k.Launch(context.Background(), ptxvm.Launch{Block: line(32)}, b, off)
	return err
}
