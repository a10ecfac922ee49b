package sanitize

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/ptxtest"
)

// misuse runs a body on a target and returns the first report or fault as its code and words; empty if there is none. lead is
// the first thread; bar is an mbarrier, peer the same of CTA rank 1.
func misuse(t *testing.T, target string, cluster, threads uint32, body string) string {
	t.Helper()
	src := fmt.Sprintf(".version 8.6\n.target %s\n.address_size 64\n.shared .align 8 .b64 bar; .shared .align 16 .b8 room[2048];\n.visible .entry k() .maxnreg 64 {\n"+
		".reg .b32 t, x, peer, w, d<4>; .reg .b64 r; .reg .pred lead, ok;\nmov.u32 t, %%tid.x; shr.u32 w, t, 5; setp.eq.u32 lead, t, 0;\n%s\nret; }", target, body)
	k := ptxtest.Compile(t, src, "", &ptxvm.DeviceConfig{Sanitize: ptxvm.SanitizeSync, Memory: 1 << 20, MaxSteps: 1 << 16, Workers: 1})
	_, err := k.Try(ptxvm.Launch{Grid: ptxvm.Dim3{X: cluster}, Cluster: ptxvm.Dim3{X: cluster}, Block: ptxvm.Dim3{X: threads}})
	var found *ptxvm.SanitizerError
	var fault *ptxvm.Fault
	switch {
	case errors.As(err, &found):
		return fmt.Sprintf("%v %s", found.Reports[0].Code, found.Reports[0].Msg)
	case errors.As(err, &fault):
		return fmt.Sprintf("%v %s", fault.Code, fault.Msg)
	case err != nil:
		t.Fatal(err)
	}
	return ""
}

// TestSyncMisuse: each misuse of synchronisation is a report or a fault with its words, and its corrected kernel is neither. [[…]] is
// the bug, ((…)) what mends it.
func TestSyncMisuse(t *testing.T) {
	const product = "mov.b32 d0, 0; mov.b32 d1, 0; mov.b32 d2, 0; mov.b32 d3, 0; setp.ne.u32 ok, t, t; cvt.u64.u32 r, x; mov.u32 x, room; shr.u32 x, x, 4; cvt.u64.u32 r, x; or.b64 r, r, 0x4000000000010000;\n" +
		"<wgmma.fence.sync.aligned;> wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {d0,d1,d2,d3}, r, r, ok, 1, 1, 0, 0; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;"
	const init = "@lead mbarrier.init.shared.b64 [bar], 2; bar.sync 0; "
	for _, test := range []struct {
		name, target     string
		cluster, threads uint32
		body, want       string // body with [[bug]] and ((mending))
	}{
		{"counts differ at one barrier", "sm_90", 1, 64, "setp.eq.u32 ok, w, 0; [[@ok bar.sync 1, 64; @!ok bar.sync 1, 96;]]((bar.sync 1, 64;))", "P7014 "},
		{"a count that is no multiple of 32", "sm_90", 1, 64, "mov.u32 x, [[48]]((64)); bar.sync 1, x;", "P7014 "},
		{"a barrier above 15", "sm_90", 1, 32, "mov.u32 x, [[16]]((15)); bar.sync x;", "P7014 "},
		{"an mbarrier without init", "sm_90", 1, 32, "((@lead mbarrier.init.shared.b64 [bar], 1;)) @lead mbarrier.arrive.shared.b64 r, [bar];", "P7023 "},
		{"an mbarrier that was overwritten", "sm_90", 1, 32, init + "[[@lead st.shared.b32 [bar], 77;]] @lead mbarrier.arrive.shared.b64 r, [bar];", "P7023 "},
		{"more arrivals than pending", "sm_90", 1, 32, init + "@lead mbarrier.arrive.shared.b64 r, [bar], [[3]]((2));", "P7023 "},
		{"a tx-count out of range", "sm_90", 1, 32, init + "@lead mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], [[1048576]]((1048575));", "P7023 "},
		{"arriving at the cluster twice", "sm_90", 2, 32, "barrier.cluster.arrive.aligned; [[barrier.cluster.arrive.aligned;]] barrier.cluster.wait.aligned;", "P7022 "},
		{"waiting for the cluster without arriving", "sm_90", 2, 32, "((barrier.cluster.arrive.aligned;)) barrier.cluster.wait.aligned;", "P7022 "},
		{"a product without its fence", "sm_90a", 1, 128, strings.NewReplacer("<", "((", ">", "))").Replace(product), "P8003 the first wgmma.mma_async"},
		{"a product of another shape without a fence", "sm_90a", 1, 128, strings.NewReplacer("<", "", ">", "").Replace(product) +
			" ((wgmma.fence.sync.aligned;)) wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {d0,d1,d2,d3}, r, r, ok, 1, 1; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;", "P8003 a product of another shape has had the accumulator"},
		{"registers of a part of a warpgroup", "sm_90a", 1, 128, "[[setp.lt.u32 ok, w, 3; @!ok bra on;]] setmaxnreg.dec.sync.aligned.u32 40; on:", "P8003 warp 3 of a warpgroup has ended without setmaxnreg 1"},
		{"warps of a warpgroup with different registers", "sm_90a", 1, 128, "setp.lt.u32 ok, w, 3; [[@ok bra less; setmaxnreg.dec.sync.aligned.u32 48; bra on; less:]] setmaxnreg.dec.sync.aligned.u32 40; on:", "P8003 warps 3 and 0 of a warpgroup differ in their setmaxnreg 1: 48 registers here"},
		{"a warp of a product with some lanes", "sm_90a", 1, 128, "((bra.uni all;)) setp.eq.u32 ok, x, t; @lead bra done; all: wgmma.fence.sync.aligned; done:", "P7043 "},
		{"an allocation after relinquish_alloc_permit", "sm_100a", 1, 32, "((tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [room], 32;)) tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned; " +
			"[[tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [room], 32;]] ld.shared.b32 x, [room]; tcgen05.dealloc.cta_group::1.sync.aligned.b32 x, 32;", "P7040 "},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := misuse(t, test.target, test.cluster, test.threads, keep(test.body, "[[", "]]", "((", "))")); !strings.HasPrefix(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if got := misuse(t, test.target, test.cluster, test.threads, keep(test.body, "((", "))", "[[", "]]")); got != "" {
				t.Errorf("the corrected kernel: %s", got)
			}
		})
	}
}

// TestMbarrierParity: a parity of more than one bit is a note, and no more: kernels of Triton have it.
func TestMbarrierParity(t *testing.T) {
	const src = ".version 8.0\n.target sm_90\n.address_size 64\n.shared .align 8 .b64 bar;\n.visible .entry k() { .reg .pred p; .reg .b32 x;\n" +
		"mbarrier.init.shared.b64 [bar], 1; mov.b32 x, -1;\nmbarrier.try_wait.parity.shared.b64 p, [bar], x;\nret; }"
	for _, checks := range []ptxvm.Sanitize{0, ptxvm.SanitizeSync} {
		k := ptxtest.Compile(t, src, "", &ptxvm.DeviceConfig{Memory: 1 << 20, Sanitize: checks})
		stats, err := k.Try(ptxvm.Launch{})
		if err != nil {
			t.Fatal(err)
		}
		switch notes := stats.Notes; {
		case checks == 0 && len(notes) != 0, checks != 0 && len(notes) != 1:
			t.Errorf("%v: %d notes", checks, len(notes))
		case checks != 0 && !strings.HasPrefix(notes[0].Msg, "a wait for the phase parity 0xffffffff, which is neither 0 nor 1: its lowest bit counts, 1"):
			t.Errorf("%v: %q", checks, notes[0].Msg)
		}
	}
}

// keep leaves out what stands between two marks, and takes two other marks away.
func keep(text, open, end, dropped, droppedEnd string) string {
	for {
		before, rest, ok := strings.Cut(text, dropped)
		if !ok {
			return strings.NewReplacer(open, "", end, "").Replace(text)
		}
		_, after, _ := strings.Cut(rest, droppedEnd)
		text = before + after
	}
}
