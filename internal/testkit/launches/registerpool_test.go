package launches_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/ptxtest"
)

// registerKernel is of two warpgroups; the first gives registers back late, and marks that it is about to.
func registerKernel(directives, first, second string) string {
	return `.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out) ` + directives + `
{
	.reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .pred %p;
	.shared .align 4 .b32 mark;
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, 0;
	st.shared.b32 [mark], %r2;
	bar.sync 0;
	setp.ge.u32 %p, %r1, 128;
	@%p bra SECOND;
LATE:
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p, %r2, 20000;
	@%p bra LATE;
	st.volatile.shared.b32 [mark], %r2;
	` + first + `
	ret;
SECOND:
	` + second + `
	ld.volatile.shared.b32 %r3, [mark];
	mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;
	st.global.b32 [%rd1], %r3;
	ret;
}`
}

func changeTo(way string, n int) string {
	return fmt.Sprintf("setmaxnreg.%s.sync.aligned.u32 %d;", way, n)
}

// TestRegisterPool: setmaxnreg.inc waits until warps of the CTA have given as much back, for ever if they do not, in both engines.
// Numbers that registers begin with are what ptxas 13.5 -v says.
func TestRegisterPool(t *testing.T) {
	dec, inc := func(n int) string { return changeTo("dec", n) }, func(n int) string { return changeTo("inc", n) }
	for _, c := range []struct {
		directives, first, second, wants string
		waits                            bool // the second warpgroup sees what the first has marked
	}{
		{".maxnreg 64", dec(24), inc(104), "", true},
		{".maxnreg 64", dec(24) + dec(24), inc(64) + inc(80) + inc(104), "", true},
		{".maxnreg 64", dec(24), inc(64), "", false},
		{".maxnreg 64", dec(40), inc(88), "", true},
		{".maxnreg 64", dec(40), inc(96), "wait in setmaxnreg.inc to 96 for 32 more registers a thread: the CTA's pool has 0, its warps [40 40 40 40 96 96 96 64]", true},
		{".maxnreg 60", dec(24), inc(104), "", true},
		{".maxnreg 56", dec(24), inc(104), "wait in setmaxnreg.inc to 104 for 48 more registers a thread: the CTA's pool has 32, its warps [24 24 24 24 104 104 56 56]", true},
		{".maxntid 256 .minnctapersm 4", dec(24), inc(104), "", true},
		{".reqntid 256 .minnctapersm 4", dec(24), inc(112), "wait in setmaxnreg.inc to 112", true},
		{".maxntid 256 .minnctapersm 1 .maxnreg 64", dec(24), inc(104), "", true},
		{".maxntid 256 .minnctapersm 1", dec(24), inc(256), "", false}, // they begin with 256
		{".maxntid 256 .minnctapersm 1", dec(24), inc(128), "", false}, // and here with 128, all that is asked for
		{"", dec(24), inc(256), "", false},                             // how many they begin with is not known: no effect
		{".maxntid 256", dec(24), inc(256), "", false},
		{".maxntid 1024 .minnctapersm 3", dec(24), inc(256), "", false}, // more than the device can hold
		{".maxnreg 64", dec(72), inc(112), "setmaxnreg.dec to 72: the threads of the warp have 64 registers each", true},
		{".maxnreg 64", dec(24), inc(104) + inc(72), "setmaxnreg.inc to 72: the threads of the warp have 104 registers each", true},
		{".maxnreg 64", dec(24), "setp.lt.u32 %p, %r1, 140; @%p " + inc(104), "the guard excludes lanes fffff000", true},
	} {
		for _, engine := range []ptxvm.Engine{ptxvm.Interp, ptxvm.JIT} {
			k := ptxtest.Compile(t, registerKernel(c.directives, c.first, c.second), "", &ptxvm.DeviceConfig{Arch: "sm_90a", Engine: engine, Workers: 1})
			var marks [256]uint32
			_, err := k.Try(ptxvm.Launch{Block: ptxvm.Dim3{X: 256}}, marks[:])
			if have := waitOrError(err); (err == nil) != (c.wants == "") || !strings.Contains(have, c.wants) {
				t.Errorf("%v, %s, %s, %s\n\twant %q\n\thave %v", engine, c.directives, c.first, c.second, c.wants, have)
			}
			if err == nil && slices.Contains(marks[128:], map[bool]uint32{true: 0, false: 20000}[c.waits]) {
				t.Errorf("%v, %s, %s, %s: marks %v, waited: want %v", engine, c.directives, c.first, c.second, marks[128:], c.waits)
			}
		}
	}
}

// waitOrError says what a deadlock's first waiter waits for, else what an error says.
func waitOrError(err error) string {
	var d *ptxvm.DeadlockError
	if errors.As(err, &d) {
		return d.Waiters[0].Reason
	}
	return fmt.Sprint(err)
}
