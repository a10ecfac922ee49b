package driver

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/vm"
)

// kernels are those of these tests: add adds a number to each of n words; late waits for a word of the host.
const kernels = `.version 8.0
.target sm_75
.address_size 64
.visible .global .align 4 .u32 total;
.visible .entry add(.param .u64 at, .param .u32 by, .param .u32 n)
{
	.reg .b64 %a, %off; .reg .b32 %i, %b, %n, %c, %v; .reg .pred %p;
	ld.param.u64 %a, [at]; ld.param.u32 %b, [by]; ld.param.u32 %n, [n];
	mov.u32 %i, %ctaid.x; mov.u32 %c, %ntid.x; mov.u32 %v, %tid.x;
	mad.lo.u32 %i, %i, %c, %v;
	setp.ge.u32 %p, %i, %n;
	@%p ret;
	mul.wide.u32 %off, %i, 4; add.u64 %a, %a, %off;
	ld.global.u32 %v, [%a]; add.u32 %v, %v, %b; st.global.u32 [%a], %v;
	ret;
}
.visible .entry wait(.param .u64 at)
{
	.reg .b64 %a; .reg .b32 %v; .reg .pred %p;
	ld.param.u64 %a, [at];
again:
	ld.volatile.global.u32 %v, [%a];
	setp.eq.u32 %p, %v, 0;
	@%p bra again;
	ret;
}
`

type rig struct {
	*Driver
	t      *testing.T
	module uint64
	mu     sync.Mutex
	errors []string
}

func newRig(t *testing.T, cfg Config) *rig {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("device addresses are host addresses on Linux only")
	}
	r := &rig{t: t}
	if cfg.Device.Memory == 0 {
		cfg.Device.Memory = 64 << 20
	}
	cfg.Devices = max(cfg.Devices, 1)
	d, err := New(cfg, Host{Error: func(s string) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.errors = append(r.errors, s)
	}})
	if err != nil {
		t.Fatal(err)
	}
	r.Driver = d
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	h, _, code := d.Load([][]byte{[]byte(kernels)})
	r.want(code, Success)
	r.module = h
	return r
}

func (r *rig) want(got, want Code) {
	r.t.Helper()
	if got != want {
		r.t.Fatalf("code %d, want %d; reports: %q", got, want, r.errors)
	}
}

func (r *rig) alloc(n uint64) uint64 {
	r.t.Helper()
	addr, code := r.Alloc(0, n, MemoryDevice)
	r.want(code, Success)
	return addr
}

func (r *rig) function(name string) uint64 {
	r.t.Helper()
	f, code := r.Function(0, r.module, name)
	r.want(code, Success)
	return f
}

// kept holds what the driver was told the address of: a number keeps nothing alive, or in its place.
var kept sync.Map

func address(p []byte) uint64 {
	kept.Store(unsafe.SliceData(p), nil)
	return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(p))))
}

func (r *rig) launch(stream, f uint64, blocks uint32, params []byte) Code {
	return r.Launch(0, stream, f, Launch{Grid: vm.Dim3{X: blocks, Y: 1, Z: 1}, Block: vm.Dim3{X: 64, Y: 1, Z: 1},
		Buffer: address(params), BufferSize: uint64(len(params))})
}

func addParams(at uint64, by, n uint32) []byte {
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(nil, at), by), n)
}

func row(dst, src, n uint64) (Place, Place, Box) {
	return Place{Addr: dst}, Place{Addr: src}, Box{n, 1, 1}
}

func (r *rig) read(at, n uint64) []byte {
	r.t.Helper()
	out := make([]byte, n)
	to, from, box := row(address(out), at, n)
	r.want(r.Copy(0, 0, to, from, box, DeviceToHost, SyncCall), Success)
	return out
}

// TestStreams runs random work on streams with events between them, against the same work in order.
func TestStreams(t *testing.T) {
	r := newRig(t, Config{})
	f := r.function("add")
	const words, threads = 256, 4
	var wg sync.WaitGroup
	for thread := range uint64(threads) {
		at := r.alloc(words * 4)
		streams := make([]uint64, 3)
		for i := range streams {
			h, code := r.StreamCreate(0, uint32(i%2), 0)
			r.want(code, Success)
			streams[i] = h
		}
		event, code := r.EventCreate(0, EventDisableTiming)
		r.want(code, Success)
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(7, thread))
			want, last := uint32(0), streams[0]
			for range 200 {
				s := streams[rng.IntN(len(streams))]
				if s != last {
					if r.EventRecord(0, event, last, false) != Success || r.StreamWaitEvent(0, s, event, false) != Success {
						t.Error("events")
					}
				}
				by := rng.Uint32N(100)
				switch rng.IntN(4) {
				case 0:
					if r.Fill(0, s, Place{Addr: at}, by, 4, Box{words * 4, 1, 1}, AsyncCall) != Success {
						t.Error("fill")
					}
					want = by
				default:
					if r.launch(s, f, words/64, addParams(at, by, words)) != Success {
						t.Error("launch")
					}
					want += by
				}
				last = s
			}
			if code := r.StreamSynchronize(0, last); code != Success {
				t.Error(code)
			}
			for i := range uint64(words) {
				if got := binary.LittleEndian.Uint32(hostBytes(at+4*i, 4)); got != want {
					t.Errorf("thread %d, word %d: %d, want %d", thread, i, got, want)
					return
				}
			}
		})
	}
	wg.Wait()
	if len(r.errors) != 0 {
		t.Error(r.errors)
	}
}

// TestLegacyStream: the default stream waits for blocking streams and they for it; others do not take part.
func TestLegacyStream(t *testing.T) {
	r := newRig(t, Config{})
	wait, add := r.function("wait"), r.function("add")
	flag, word := r.alloc(4), r.alloc(4)
	blocking, _ := r.StreamCreate(0, 0, 0)
	free, _ := r.StreamCreate(0, StreamNonBlocking, 0)
	r.want(r.launch(blocking, wait, 1, binary.LittleEndian.AppendUint64(nil, flag)), Success)
	r.want(r.launch(0, add, 1, addParams(word, 5, 1)), Success)
	r.want(r.launch(free, add, 1, addParams(word, 1, 1)), Success)
	r.want(r.StreamSynchronize(0, free), Success)
	if got := binary.LittleEndian.Uint32(hostBytes(word, 4)); got != 1 {
		t.Errorf("the default stream did not wait: %d", got)
	}
	r.want(r.StreamQuery(0, 0), NotReady)
	hostBytes(flag, 4)[0] = 1
	r.want(r.StreamSynchronize(0, 0), Success)
	if got := binary.LittleEndian.Uint32(hostBytes(word, 4)); got != 6 {
		t.Errorf("%d, want 6", got)
	}
	r.want(r.StreamDestroy(blocking), Success)
	r.want(r.StreamDestroy(blocking), InvalidHandle)
	r.want(r.StreamSynchronize(0, blocking), InvalidHandle)
}

// TestCodes lists calls that are wrong, with CUDA's answers; none is sticky.
func TestCodes(t *testing.T) {
	r := newRig(t, Config{})
	f := r.function("add")
	at := r.alloc(100)
	host := make([]byte, 200)
	over := func(dst, src, n uint64, kind CopyKind) Code {
		to, from, box := row(dst, src, n)
		return r.Copy(0, 0, to, from, box, kind, SyncCall)
	}
	for name, c := range map[string][2]Code{
		"copy behind the end":     {over(at, address(host), 101, HostToDevice), InvalidValue},
		"copy to the host":        {over(address(host), address(host), 8, HostToDevice), InvalidValue},
		"copy from nothing":       {over(at, 0, 8, HostToDevice), InvalidValue},
		"direction":               {over(at, address(host), 8, 9), InvalidDirection},
		"default from past":       {over(address(host), at+50, 60, CopyDefault), InvalidValue},
		"default":                 {over(at, address(host), 100, CopyDefault), Success},
		"nothing to copy":         {over(at, address(host), 0, HostToDevice), Success},
		"free inside":             {r.Free(at+4, false), InvalidValue},
		"free of the host":        {r.Free(address(host), false), InvalidValue},
		"free as pinned":          {r.Free(at, true), InvalidValue},
		"free null":               {r.Free(0, false), Success},
		"empty grid":              {r.launch(0, f, 0, addParams(at, 1, 1)), InvalidConfiguration},
		"block":                   {r.Launch(0, 0, f, Launch{Grid: vm.Dim3{X: 1, Y: 1, Z: 1}, Block: vm.Dim3{X: 1025, Y: 1, Z: 1}}), InvalidConfiguration},
		"shared":                  {r.Launch(0, 0, f, Launch{Grid: vm.Dim3{X: 1, Y: 1, Z: 1}, Block: vm.Dim3{X: 1, Y: 1, Z: 1}, Shared: 48<<10 + 1}), InvalidValue},
		"no arguments":            {r.Launch(0, 0, f, Launch{Grid: vm.Dim3{X: 1, Y: 1, Z: 1}, Block: vm.Dim3{X: 1, Y: 1, Z: 1}}), InvalidValue},
		"function that is none":   {r.launch(0, 12345, 1, nil), InvalidHandle},
		"stream that is none":     {r.launch(777, f, 1, addParams(at, 1, 1)), InvalidHandle},
		"event that is none":      {r.EventRecord(0, r.module, 0, false), InvalidHandle},
		"device that is none":     {r.Synchronize(1), InvalidDevice},
		"too much memory":         {second(r.Alloc(0, 1<<40, MemoryDevice)), OutOfMemory},
		"kernel that is none":     {second(r.Function(0, r.module, "sub")), NotFound},
		"attribute that is none":  {second(r.Attribute(0, 5000)), InvalidValue},
		"more shared than is":     {r.FunctionSet(0, f, FuncMaxDynamic, 1<<20), InvalidValue},
		"more shared than before": {r.FunctionSet(0, f, FuncMaxDynamic, 100<<10), Success},
	} {
		if c[0] != c[1] {
			t.Errorf("%s: %d, want %d", name, c[0], c[1])
		}
	}
	for _, text := range []string{"", "not PTX", ".version 8.0\n.target sm_75\n.address_size 64\n.entry k() { bogus; }", "\x50\xed\x55\xba\x01"} {
		_, log, code := r.Load([][]byte{[]byte(text)})
		if code != InvalidPTX && code != InvalidImage || log == "" {
			t.Errorf("%q: %d %q", text, code, log)
		}
	}
	newer := strings.NewReplacer("sm_75", "sm_100", "version 8.0", "version 8.6").Replace(kernels)
	if _, log, code := r.Load([][]byte{[]byte(newer)}); code != NoBinary {
		t.Errorf("sm_100: %d %s", code, log)
	}
	r.want(r.Sticky(), Success)
	r.want(r.Free(at, false), Success)
	r.want(r.Free(at, false), InvalidValue)
}

func second[T any](_ T, code Code) Code { return code }

func third[T, U any](_ T, _ U, code Code) Code { return code }

// TestSticky: a fault in a kernel is every later call's answer, and is reported once.
func TestSticky(t *testing.T) {
	r := newRig(t, Config{})
	f := r.function("add")
	at := r.alloc(64 * 4)
	r.errors = nil
	for range 3 {
		r.launch(0, f, 2, addParams(at, 1, 65))
	}
	r.want(r.Synchronize(0), IllegalAddress)
	r.want(r.Synchronize(0), IllegalAddress)
	if _, code := r.Alloc(0, 4, MemoryDevice); code != IllegalAddress {
		t.Errorf("alloc: %d", code)
	}
	if len(r.errors) != 1 || !strings.Contains(r.errors[0], "P7001") {
		t.Errorf("reports: %q", r.errors)
	}
}

// TestEvents: time passes between events, and what has not happened is not ready.
func TestEvents(t *testing.T) {
	r := newRig(t, Config{})
	wait, flag := r.function("wait"), r.alloc(4)
	a, _ := r.EventCreate(0, 0)
	b, _ := r.EventCreate(0, 0)
	untimed, _ := r.EventCreate(0, EventDisableTiming)
	if _, code := r.EventElapsed(a, b); code != InvalidHandle {
		t.Errorf("never recorded: %d", code)
	}
	r.want(r.EventQuery(a), Success)
	r.want(r.EventRecord(0, a, 0, false), Success)
	r.want(r.launch(0, wait, 1, binary.LittleEndian.AppendUint64(nil, flag)), Success)
	r.want(r.EventRecord(0, b, 0, false), Success)
	r.want(r.EventRecord(0, untimed, 0, false), Success)
	r.want(r.EventQuery(b), NotReady)
	if _, code := r.EventElapsed(a, b); code != NotReady {
		t.Errorf("not over: %d", code)
	}
	time.Sleep(20 * time.Millisecond)
	hostBytes(flag, 4)[0] = 1
	r.want(r.EventSynchronize(b), Success)
	if ms, code := r.EventElapsed(a, b); code != Success || ms < 10 || ms > 10_000 {
		t.Errorf("%v ms, code %d", ms, code)
	}
	if ms, code := r.EventElapsed(b, b); code != Success || ms <= 0 {
		t.Errorf("an event is %v ms from itself, code %d", ms, code)
	}
	if _, code := r.EventElapsed(a, untimed); code != InvalidHandle {
		t.Errorf("without a time: %d", code)
	}
}

// TestBoxes copies and fills boxes against the same done byte by byte.
func TestBoxes(t *testing.T) {
	r := newRig(t, Config{})
	const size = 4096
	at := r.alloc(size)
	rng := rand.New(rand.NewPCG(1, 2))
	model := make([]byte, size)
	for range 300 {
		box := Box{1 + rng.Uint64N(40), 1 + rng.Uint64N(5), 1 + rng.Uint64N(4)}
		pitch := box.Width + rng.Uint64N(20)
		slice := pitch*box.Height + rng.Uint64N(20)
		off := rng.Uint64N(size - slice*box.Depth)
		place := Place{at + off, pitch, slice}
		host := make([]byte, box.Width*box.Height*box.Depth)
		for i := range host {
			host[i] = byte(rng.Uint32())
		}
		from := Place{address(host), box.Width, box.Width * box.Height}
		value, fill := byte(rng.Uint32()), rng.IntN(2) == 0
		if fill {
			r.want(r.Fill(0, 0, place, uint32(value), 1, box, SyncCall), Success)
		} else {
			r.want(r.Copy(0, 0, place, from, box, HostToDevice, SyncCall), Success)
		}
		for z := range box.Depth {
			for y := range box.Height {
				for x := range box.Width {
					v := host[(z*box.Height+y)*box.Width+x]
					if fill {
						v = value
					}
					model[off+z*slice+y*pitch+x] = v
				}
			}
		}
	}
	if !bytes.Equal(r.read(at, size), model) {
		t.Error("the bytes differ")
	}
}

// TestConfigure: names that are never read are noticed, and wrong values are errors.
func TestConfigure(t *testing.T) {
	c, warnings, err := Configure([]string{"PTXVM_ENGINE=interp", "PTXVM_MEMORY=3G", "PTXVM_DEVICES=2", "PTXVM_SEDE=1", "HOME=/", "CUDA_LAUNCH_BLOCKING=1", "PTXVM_BOUNDS=page", "PTXVM_REPORT=r", "PTXVM_PROGRESS=1", "PTXVM_TRACE=calls"})
	if err != nil || !c.Device.PageBounds || c.Report != "r" || !c.Progress || c.Device.Engine != vm.Interp || c.Device.Memory != 3<<30 || c.Devices != 2 || !c.Blocking {
		t.Errorf("%+v, %v", c, err)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], "PTXVM_SEED") {
		t.Errorf("warnings %q", warnings)
	}
	for _, bad := range []string{"PTXVM_ENGINE=fast", "PTXVM_MEMORY=lots", "PTXVM_DEVICES=0", "PTXVM_ASYNC=maybe", "PTXVM_SANITIZE=everything", "PTXVM_BOUNDS=some", "PTXVM_HOST_ACCESS=some", "PTXVM_SUPPRESS=/none/such"} {
		if _, _, err := Configure([]string{bad}); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
	if c, _, _ := Configure([]string{"CUDA_VISIBLE_DEVICES="}); c.Devices != 0 {
		t.Error("CUDA_VISIBLE_DEVICES= hides nothing")
	}
	unset, _, _ := Configure(nil)
	var empty []string
	for name := range variables {
		empty = append(empty, name+"=")
	}
	if c, warnings, err := Configure(empty); err != nil || len(warnings) != 0 || !reflect.DeepEqual(c, unset) {
		t.Errorf("empty variables give %+v, %q, %v; unset ones %+v", c, warnings, err, unset)
	}
}
