package driver

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// kindsOfMemory are what an end of a copy can be.
var kindsOfMemory = []memories{pageable, pinned, onDevice, managed, onDevice | synced}

// fitting is the first rule for a call.
func fitting(call CallKind, from, to memories) *rule {
	for i := range rules {
		if rules[i].fits(call, from, to) {
			return &rules[i]
		}
	}
	return nil
}

// eachCall goes over all kinds of calls, with memory of all kinds at each end.
func eachCall(do func(call CallKind, from, to memories)) {
	for _, call := range []CallKind{AsyncCall, SyncCall, DuringCall} {
		for _, to := range kindsOfMemory {
			for _, from := range kindsOfMemory {
				do(call, from, to)
			}
			if call != DuringCall && to != pageable {
				do(call, nowhere, to)
			}
		}
	}
	do(LaunchCall, nowhere, nowhere)
}

// TestRules: each call has a rule, each rule has a call and a test in the program of testdata/cudart.
func TestRules(t *testing.T) {
	used := map[*rule]bool{}
	eachCall(func(call CallKind, from, to memories) {
		r := fitting(call, from, to)
		if r == nil {
			t.Errorf("no rule for call %d from %#x to %#x", call, from, to)
		}
		used[r] = true
	})
	program, err := os.ReadFile("../../testdata/cudart/synchronous.cu")
	if err != nil {
		t.Fatal(err)
	}
	for i := range rules {
		if !used[&rules[i]] {
			t.Errorf("%s fits nothing", rules[i].name)
		}
		if !strings.Contains(string(program), fmt.Sprintf("{%q, ", rules[i].name)) {
			t.Errorf("no row for %s in synchronous.cu", rules[i].name)
		}
	}
}

// TestSynchronous makes each call behind a kernel that waits for the host: it returns before the kernel has ended, or when the
// bytes are there.
func TestSynchronous(t *testing.T) {
	r := newRig(t, Config{})
	gate, code := r.Alloc(0, 4, MemoryPinned)
	r.want(code, Success)
	eachCall(func(call CallKind, from, to memories) {
		if call == LaunchCall {
			return // the kernel that waits is one
		}
		t.Run(fmt.Sprintf("%s/%x-%x", fitting(call, from, to).name, from, to), func(t *testing.T) {
			r.t = t
			r.behind(gate, waits(call, from, to), call, from, to)
		})
	})
}

const copied = 4096

// place is memory of a kind, all bytes v.
func (r *rig) place(m memories, v byte) uint64 {
	if m == pageable {
		b := make([]byte, copied)
		for i := range b {
			b[i] = v
		}
		return address(b)
	}
	at, code := r.Alloc(0, copied, map[memories]MemoryKind{pinned: MemoryPinned, onDevice: MemoryDevice, managed: MemoryManaged}[m&^synced])
	r.want(code, Success)
	r.want(r.Fill(0, 0, Place{Addr: at}, uint32(v), 1, Box{copied, 1, 1}, SyncCall), Success)
	r.want(r.Synchronize(0), Success)
	r.want(r.SetSynchronous(at, m&synced != 0), Success)
	return at
}

// behind makes a call behind a kernel, which the gate lets end.
func (r *rig) behind(gate uint64, waits bool, call CallKind, from, to memories) {
	r.t.Helper()
	dst, src := r.place(to, 1), uint64(0)
	if from != nowhere {
		src = r.place(from, 7)
	}
	hostBytes(gate, 4)[0] = 0
	r.want(r.launch(0, r.function("wait"), 1, addParams(gate, 0, 0)[:8]), Success)
	returned := make(chan Code)
	go func() {
		box := Box{copied, 1, 1}
		if from == nowhere {
			returned <- r.Fill(0, 0, Place{Addr: dst}, 7, 1, box, call)
			return
		}
		returned <- r.Copy(0, 0, Place{Addr: dst}, Place{Addr: src}, box, CopyDefault, call)
	}()
	patience := 20 * time.Millisecond
	if !waits {
		patience = 20 * time.Second
	}
	early := true
	select {
	case code := <-returned:
		r.want(code, Success)
	case <-time.After(patience):
		early = false
	}
	if early == waits {
		r.t.Errorf("returned before the kernel has ended: %v", early)
	}
	hostBytes(gate, 4)[0] = 1
	if !early {
		r.want(<-returned, Success)
	}
	if !waits {
		r.want(r.Synchronize(0), Success)
	}
	if to&(ofHost|managed) != 0 {
		for i, b := range hostBytes(dst, copied) {
			if b != 7 {
				r.t.Fatalf("byte %d is %d", i, b)
			}
		}
	}
	r.want(r.Synchronize(0), Success)
}
