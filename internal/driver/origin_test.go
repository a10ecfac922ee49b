package driver

import (
	"strings"
	"testing"
)

// TestOrigin: a report of a fault names the call that allocated the memory beside it, behind the line about that memory.
func TestOrigin(t *testing.T) {
	r := newRig(t, Config{})
	at := r.alloc(64 * 4)
	r.host.Origin = func(address uint64) (Origin, bool) {
		return Origin{By: "cudaMalloc", Calls: []Call{{File: "/no/such/program", Offset: 0x14bc}}}, address == at
	}
	r.errors = nil
	r.launch(0, r.function("add"), 2, addParams(at, 1, 65))
	r.want(r.Synchronize(0), IllegalAddress)
	lines := strings.Split(strings.Join(r.errors, ""), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "  from:   cudaMalloc, called by program+0x14bc") && strings.HasPrefix(lines[i-1], "  near:   0 bytes past the end") {
			return
		}
	}
	t.Errorf("no such line behind that about the memory:\n%s", strings.Join(lines, "\n"))
}

// TestOriginText: without a caller the function alone is named, and what has no symbols is named by its offset.
func TestOriginText(t *testing.T) {
	for want, o := range map[string]Origin{
		"cuMemAlloc": {By: "cuMemAlloc"},
		"cudaMalloc, called by origin_test.go+0x2a": {By: "cudaMalloc", Calls: []Call{{File: "origin_test.go", Offset: 0x2a}}},
	} {
		if have := o.String(); have != want {
			t.Errorf("have %q, want %q", have, want)
		}
	}
}
