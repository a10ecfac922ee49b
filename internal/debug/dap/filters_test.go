package dap

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	godap "github.com/google/go-dap"
)

// filterBodies are kernels at which each filter stops; those of checks of the sanitizers are reported by that check.
var filterBodies = map[string]string{
	filterFault:    `mov.u64 %p, 0; st.global.u32 [%p], 1;`,
	filterDeadlock: `setp.lt.u32 %q, %t, 32; @%q barrier.sync 1, 64; @!%q barrier.sync 2, 64;`,
	filterEntry:    `st.global.u32 [%p], 1;`,
	filterBlock:    `st.global.u32 [%p], 1;`,
	filterParting:  `and.b32 %x, %t, 1; setp.eq.u32 %q, %x, 0; @%q bra EVEN; add.u32 %x, %x, 2; EVEN: add.u32 %x, %x, 3;`,
	"mem":          `mov.u32 %x, s; st.shared.u32 [%x+64], 1; st.shared.u32 [other], 1;`,
	"init":         `ld.shared.u32 %x, [s]; setp.eq.u32 %q, %x, 0; @%q st.global.u32 [%p], 1;`,
	"race":         `st.global.u32 [%p], %t;`,
	"sync":         `and.b32 %x, %t, 1; setp.eq.u32 %q, %x, 0; @%q bra OVER; bar.sync 0; OVER: add.u32 %x, %x, %t;`,
	"leak":         `cp.async.ca.shared.global [s], [%p], 4;`,
	"async":        `cp.async.ca.shared.global [s], [%p], 4; cp.async.commit_group; ld.shared.u32 %x, [s]; cp.async.wait_all;`,
	"nan":          `mov.f32 %f, 0f00000000; div.rn.f32 %f, %f, %f;`,
}

// TestFilters stops by each filter that there is, alone, and not without it.
func TestFilters(t *testing.T) {
	for _, f := range filters() {
		body, ok := filterBodies[f.id]
		if !ok {
			t.Errorf("nothing tests the filter %s", f.id)
			continue
		}
		t.Run(f.id, func(t *testing.T) { testFilter(t, f.id, body) })
	}
}

func testFilter(t *testing.T, id, body string) {
	file := filepath.Join(t.TempDir(), id+".ptx")
	text := fmt.Sprintf(`.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n)
{
	.reg .b64 %%p;
	.reg .b32 %%t, %%x;
	.reg .f32 %%f;
	.reg .pred %%q;
	.shared .align 4 .b8 s[64], other[64];
	ld.param.u64 %%p, [out];
	mov.u32 %%t, %%tid.x;
	%s
	ret;
}
`, body)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	launched := args{"program": file}
	if isCheck(id) {
		launched["sanitize"] = id
	}
	for _, on := range []bool{true, false} {
		c := newClient(t, programs)
		c.begin("", launched)
		list := []string{}
		if on {
			list = append(list, id)
		}
		for _, b := range ask[*godap.SetExceptionBreakpointsResponse](c, "setExceptionBreakpoints", args{"filters": list}).Body.Breakpoints {
			if !b.Verified {
				t.Errorf("%+v", b)
			}
		}
		ask[*godap.ConfigurationDoneResponse](c, "configurationDone", nil)
		e := c.stopOrEnd()
		if on != (e != nil) {
			t.Errorf("with the filter %v: stopped %v", on, e != nil)
		}
		if e == nil {
			continue
		}
		want := "exception"
		if id == filterEntry || id == filterBlock {
			want = "entry"
		}
		if e.Body.Reason != want {
			t.Errorf("stopped for %+v", e.Body)
		}
		if want == "exception" {
			r := ask[*godap.ExceptionInfoResponse](c, "exceptionInfo", args{"threadId": c.thread})
			if r.Body.Details == nil || r.Body.Details.TypeName != id || e.Body.Text == "" {
				t.Errorf("%+v, %+v", r.Body, r.Body.Details)
			}
		}
	}
}

// stopOrEnd waits until the launch stops; nil: it has ended.
func (c *client) stopOrEnd() *godap.StoppedEvent {
	for {
		switch e := c.next().(type) {
		case *godap.StoppedEvent:
			c.note(e)
			return e
		case *godap.TerminatedEvent:
			return nil
		}
	}
}
