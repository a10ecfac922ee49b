package sanitize

import (
	"errors"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/ptxtest"
)

// keepGoing runs 64 threads of a body and returns its word a thread and the faults; t is the thread, a the address of its word.
func keepGoing(t *testing.T, body string) ([]uint32, *ptxvm.FaultsError) {
	t.Helper()
	k := ptxtest.Compile(t, ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {\n.reg .b32 t, x; .reg .b64 a, b, n; .reg .pred odd, low;\n"+
		"mov.u32 t, %tid.x; ld.param.u64 a, [p]; mul.wide.u32 b, t, 4; add.u64 a, a, b; mov.u64 n, 0; and.b32 x, t, 1; setp.eq.u32 odd, x, 1; setp.lt.u32 low, t, 8;\n"+
		body+"\nst.global.u32 [a], 1; ret; }", "", &ptxvm.DeviceConfig{KeepGoing: true, Memory: 1 << 20, MaxSteps: 1 << 16})
	out := make([]uint32, 64)
	_, err := k.Try(ptxvm.Launch{Block: ptxvm.Dim3{X: 64}}, out)
	var faults *ptxvm.FaultsError
	if err != nil && !errors.As(err, &faults) {
		t.Fatal(err)
	}
	return out, faults
}

// TestKeepGoing: lanes that fault end there, whatever they are in the middle of, and the others do what they would do.
func TestKeepGoing(t *testing.T) {
	odd := func(i int) bool { return i%2 == 1 }
	low := func(i int) bool { return i < 8 }
	for _, test := range []struct {
		name, body string
		faults     []diag.Code
		ends       func(i int) bool // the thread has faulted
	}{
		{"none", "", nil, func(int) bool { return false }},
		{"guarded", "@odd st.global.u32 [n], 1;", []diag.Code{7003}, odd},
		{"in a branch", "@!odd bra over; ld.global.u32 x, [n]; over:", []diag.Code{7003}, odd},
		{"before a barrier", "@low st.global.u32 [n], 1; bar.sync 0;", []diag.Code{7003}, low},
		{"before a warp barrier", "@low st.global.u32 [n], 1; bar.warp.sync 0xffffffff;", []diag.Code{7003}, low},
		{"before a shuffle", "@low trap; shfl.sync.idx.b32 x, t, 9, 31, 0xffffffff;", []diag.Code{7005}, low},
		{"twice", "@odd st.global.u32 [n], 1; @low trap;", []diag.Code{7003, 7005}, func(i int) bool { return odd(i) || low(i) }},
		{"all", "trap;", []diag.Code{7005}, func(int) bool { return true }},
		{"atomic", "@low atom.global.add.u32 x, [n+4096], 1;", []diag.Code{7001}, low},
		{"in a loop", "mov.u32 x, 0; again: @odd st.global.u32 [n], 1; add.u32 x, x, 1; setp.lt.u32 low, x, 5; @low bra again;", []diag.Code{7003}, odd},
	} {
		t.Run(test.name, func(t *testing.T) {
			out, faults := keepGoing(t, test.body)
			for i, v := range out {
				if (v == 0) != test.ends(i) {
					t.Errorf("thread %d has written %d", i, v)
				}
			}
			switch {
			case faults == nil && test.faults != nil:
				t.Error("no fault")
			case faults != nil && len(faults.Faults) != len(test.faults):
				t.Errorf("%v", faults.Detail())
			}
			for i, code := range test.faults {
				if f := faults.Faults[i]; f.Code != code || f.Times == 0 || f.ID == "" {
					t.Errorf("fault %d: %+v", i, f)
				}
			}
		})
	}
}

// TestKeepGoingOrder: lanes that have been dropped have arrived at later barriers, as those that have ended: what they did
// before races with nothing behind one, and does where no barrier waits for them.
func TestKeepGoingOrder(t *testing.T) {
	for _, test := range []struct {
		name, barrier string
		races         bool
	}{
		{"all threads", "bar.sync 0;", false},
		{"a number of warps", "bar.sync 1, 64;", false}, // both have lanes left
		{"a mask with them", "bar.sync 0; bar.warp.sync 0xffffffff;", false},
		{"a mask without them", "bar.warp.sync 0xffff0000;", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			k := ptxtest.Compile(t, ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k() {\n.reg .b32 t, x; .reg .pred low; .shared .b32 a[64];\n"+
				"mov.u32 t, %laneid; setp.lt.u32 low, t, 16; mov.u32 t, %tid.x; mad.lo.u32 x, t, 4, 0; mov.u32 t, a; add.u32 x, x, t;\n"+
				"st.shared.u32 [x], t; @low trap; "+test.barrier+" ld.shared.u32 t, [x+-64]; ret; }", "",
				&ptxvm.DeviceConfig{KeepGoing: true, Sanitize: ptxvm.SanitizeRace, Memory: 1 << 20, MaxSteps: 1 << 16})
			_, err := k.Try(ptxvm.Launch{Block: ptxvm.Dim3{X: 64}})
			var found *ptxvm.SanitizerError
			if races := errors.As(err, &found) && len(found.Reports) != 0; races != test.races {
				t.Errorf("races: %v, want %v: %v", races, test.races, err)
			}
		})
	}
}
