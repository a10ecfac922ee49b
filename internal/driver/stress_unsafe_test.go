package driver

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/vm"
)

var (
	stressTime = flag.Duration("stress", 2*time.Second, "how long TestStress runs")
	stressSeed = flag.Uint64("stress.seed", 1, "seed of TestStress's first round")
)

// A round of TestStress: eight threads of the host, each with streams of its own on two devices and all with the default
// streams, put a random graph of operations into them. Operations that touch the same words keep their order by events, by
// waiting threads and by the order of streams; all others overlap as they like.
const (
	stressThreads = 8
	stressStreams = 3 // of a thread
	stressBuffers = 6
	stressCells   = 4  // of a buffer: what operations touch, some at once
	stressWords   = 96 // of a cell
	stressOps     = 400
)

// stressKind is what an operation does with its cells.
type stressKind int

const (
	stressFill   stressKind = iota // words are by
	stressAdd                      // words grow by by, in a kernel
	stressHost                     // the same, in a host function: on memory of the host alone
	stressCopy                     // words are those of another buffer's cells
	stressUp                       // words count from by: copied from the host, which overwrites the source at once
	stressDown                     // words are copied to the host, and looked at in the end
	stressGraph                    // add, then add again: captured, launched as a graph
	stressScrap                    // add to memory that is allocated and freed in the stream's order
	stressModule                   // another module with the same kernel is loaded, used and unloaded
	stressKinds
)

type stressCell struct{ buffer, cell int }

// stressOp is an operation, with the earlier ones that it comes after.
type stressOp struct {
	kind      stressKind
	to, from  stressCell
	cells     int // touched, from to on
	by        uint32
	thread    int
	stream    int  // of the thread; stressStreams: the default stream
	device    int  // whose kernel runs, or whose default stream it is
	waits     bool // the thread waits for the operation
	after     []int
	submitted chan struct{}
	event     uint64
	seen      []byte // by stressDown
	want      []byte
}

// stressPlan draws the operations and works out by themselves, in their order, what they leave.
func stressPlan(rng *rand.Rand, kinds []MemoryKind) (ops []*stressOp, left [][]uint32) {
	const words = stressCells * stressWords
	writer, readers := map[stressCell]int{}, map[stressCell][]int{}
	for range kinds {
		left = append(left, make([]uint32, words))
	}
	for n := range stressOps {
		op := &stressOp{kind: stressKind(rng.IntN(int(stressKinds))), by: rng.Uint32N(1000), thread: rng.IntN(stressThreads),
			stream: rng.IntN(stressStreams + 1), device: rng.IntN(2), waits: rng.IntN(8) == 0, submitted: make(chan struct{})}
		op.to = stressCell{rng.IntN(len(kinds)), rng.IntN(stressCells)}
		if op.kind == stressHost && kinds[op.to.buffer] == MemoryDevice {
			op.kind = stressAdd
		}
		if op.kind == stressGraph {
			op.stream = stressStreams - 1 // while a blocking stream is captured, the default stream may not be used
		}
		op.cells = 1 + rng.IntN(stressCells-op.to.cell)
		op.from = stressCell{(op.to.buffer + 1 + rng.IntN(len(kinds)-1)) % len(kinds), rng.IntN(stressCells - op.cells + 1)}
		reads := func(c stressCell) {
			if w, ok := writer[c]; ok {
				op.after = append(op.after, w)
			}
			readers[c] = append(readers[c], n)
		}
		for i := range op.cells {
			to, from := stressCell{op.to.buffer, op.to.cell + i}, stressCell{op.from.buffer, op.from.cell + i}
			if op.kind == stressCopy {
				reads(from)
			}
			if op.kind == stressDown {
				reads(to)
				continue
			}
			if w, ok := writer[to]; ok {
				op.after = append(op.after, w)
			}
			op.after = append(op.after, readers[to]...)
			writer[to], readers[to] = n, nil
		}
		op.after = slices.DeleteFunc(op.after, func(i int) bool { return i == n })
		slices.Sort(op.after)
		op.after = slices.Compact(op.after)
		op.apply(left)
		ops = append(ops, op)
	}
	return ops, left
}

func (c stressCell) words(all [][]uint32, cells int) []uint32 {
	return all[c.buffer][c.cell*stressWords:][:cells*stressWords]
}

// apply is the oracle.
func (op *stressOp) apply(all [][]uint32) {
	words := op.to.words(all, op.cells)
	if op.kind == stressCopy {
		copy(words, op.from.words(all, op.cells))
	}
	for i := range words {
		switch op.kind {
		case stressFill:
			words[i] = op.by
		case stressAdd, stressHost, stressScrap, stressModule:
			words[i] += op.by
		case stressGraph:
			words[i] += 2 * op.by
		case stressUp:
			words[i] = op.by + uint32(i)
		case stressDown:
			op.want = binary.NativeEndian.AppendUint32(op.want, words[i])
		}
	}
}

// stress is the running of a round.
type stress struct {
	*rig
	add     [2]uint64 // kernels, by device
	buffers []uint64
	ops     []*stressOp
}

// addressOf is where an operation's cells begin.
func (s *stress) addressOf(c stressCell) uint64 {
	return s.buffers[c.buffer] + uint64(c.cell)*stressWords*4
}

// thread submits the operations of a thread, in their order.
func (s *stress) thread(number int) (err error) {
	var streams [stressStreams]uint64
	for i := range streams {
		var code Code
		if streams[i], code = s.StreamCreate(i%2, uint32(i/2), 0); code != Success {
			return fmt.Errorf("a stream: %d", code)
		}
	}
	defer func() {
		for _, h := range streams {
			if code := s.StreamDestroy(h); code != Success && err == nil {
				err = fmt.Errorf("destroying a stream: %d", code)
			}
		}
	}()
	for i, op := range s.ops {
		if op.thread != number {
			continue
		}
		stream, device := uint64(0), op.device
		if op.stream < stressStreams {
			stream, device = streams[op.stream], op.stream%2
		}
		if err == nil {
			if code := s.submit(op, device, stream); code != Success {
				err = fmt.Errorf("operation %d of kind %d: code %d", i, op.kind, code)
			}
		}
		close(op.submitted) // also after a failure: others wait for it
	}
	return err
}

// submit puts an operation behind those that it comes after, and notes its event.
func (s *stress) submit(op *stressOp, device int, stream uint64) Code {
	for _, before := range op.after {
		other := s.ops[before]
		<-other.submitted
		if code := s.StreamWaitEvent(device, stream, other.event, false); code != Success {
			return code
		}
	}
	code := s.do(op, device, stream)
	if code == Success {
		op.event, code = s.EventCreate(device, EventDisableTiming)
	}
	if code == Success {
		code = s.EventRecord(device, op.event, stream, false)
	}
	if code == Success && op.waits {
		code = s.EventSynchronize(op.event)
	}
	return code
}

func (s *stress) do(op *stressOp, device int, stream uint64) Code {
	at, n := s.addressOf(op.to), uint64(op.cells)*stressWords*4
	switch op.kind {
	case stressFill:
		return s.Fill(device, stream, Place{Addr: at}, op.by, 4, Box{n, 1, 1}, AsyncCall)
	case stressHost:
		return s.HostFunction(device, stream, 1, address(binary.NativeEndian.AppendUint64(addParams(at, op.by, uint32(n/4)), 0)))
	case stressCopy:
		to, from, box := row(at, s.addressOf(op.from), n)
		return s.Copy(device, stream, to, from, box, CopyDefault, AsyncCall)
	case stressUp:
		return s.up(op, device, stream, at, n)
	case stressDown:
		op.seen = make([]byte, n)
		to, from, box := row(address(op.seen), at, n)
		return s.Copy(device, stream, to, from, box, DeviceToHost, AsyncCall)
	case stressGraph:
		return s.graph(op, device, stream, at, n)
	case stressScrap:
		return s.scrap(op, device, stream, at, n)
	case stressModule:
		return s.module2(op, device, stream, at, n)
	}
	return s.adds(device, stream, s.add[device], at, op.by, n)
}

func (s *stress) adds(device int, stream, f, at uint64, by uint32, n uint64) Code {
	params := addParams(at, by, uint32(n/4))
	code := s.Launch(device, stream, f, Launch{Grid: vm.Dim3{X: uint32(n+255) / 256, Y: 1, Z: 1}, Block: vm.Dim3{X: 64, Y: 1, Z: 1},
		Buffer: address(params), BufferSize: uint64(len(params))})
	clear(params) // they were copied
	return code
}

// up copies from the host, whose memory may be written as soon as the call is back.
func (s *stress) up(op *stressOp, device int, stream, at, n uint64) Code {
	source := make([]byte, 0, n)
	for i := range uint32(n / 4) {
		source = binary.NativeEndian.AppendUint32(source, op.by+i)
	}
	to, from, box := row(at, address(source), n)
	code := s.Copy(device, stream, to, from, box, HostToDevice, AsyncCall)
	clear(source)
	return code
}

func (s *stress) graph(op *stressOp, device int, stream, at, n uint64) Code {
	code := s.CaptureBegin(device, stream, 0, nil, CaptureRelaxed)
	for range 2 {
		if code == Success {
			code = s.adds(device, stream, s.add[device], at, op.by, n)
		}
	}
	if code != Success {
		return code
	}
	g, code := s.CaptureEnd(device, stream)
	if code != Success {
		return code
	}
	x, _, code := s.GraphInstantiate(g, 0)
	for _, step := range []func() Code{
		func() Code { return s.GraphDestroy(g) },
		func() Code { return s.GraphLaunch(device, stream, x) },
		func() Code { return s.ExecDestroy(x) }, // while it may still run
	} {
		if code == Success {
			code = step()
		}
	}
	return code
}

// scrap adds through memory that lives for a while in the stream's order.
func (s *stress) scrap(op *stressOp, device int, stream, at, n uint64) Code {
	scrap, code := s.AllocIn(device, stream, n)
	if code != Success {
		return code
	}
	to, from, box := row(scrap, at, n)
	back, forth, _ := row(at, scrap, n)
	for _, step := range []func() Code{
		func() Code { return s.Copy(device, stream, to, from, box, DeviceToDevice, AsyncCall) },
		func() Code { return s.adds(device, stream, s.add[device], scrap, op.by, n) },
		func() Code { return s.Copy(device, stream, back, forth, box, DeviceToDevice, AsyncCall) },
		func() Code { return s.FreeIn(device, stream, scrap) },
	} {
		if code == Success {
			code = step()
		}
	}
	return code
}

func (s *stress) module2(op *stressOp, device int, stream, at, n uint64) Code {
	m, _, code := s.Load([][]byte{[]byte(kernels)})
	if code != Success {
		return code
	}
	f, code := s.Function(device, m, "add")
	if code == Success {
		code = s.adds(device, stream, f, at, op.by, n)
	}
	if code == Success {
		code = s.Unload(m)
	}
	return code
}

// TestStress compares rounds with their oracle. The minute of .ci/run and the hour are -stress D.
func TestStress(t *testing.T) {
	rounds, end := 0, time.Now().Add(*stressTime)
	for seed := *stressSeed; rounds == 0 || time.Now().Before(end); seed++ {
		rounds++
		if ok := t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) { stressRound(t, seed) }); !ok {
			return
		}
	}
	t.Logf("%d rounds of %d operations", rounds, stressOps)
}

func stressRound(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 0x57e55))
	kinds := make([]MemoryKind, stressBuffers)
	for i := range kinds {
		kinds[i] = MemoryPinned + MemoryKind(i%3)
	}
	ops, want := stressPlan(rng, kinds)
	s := &stress{rig: newStressRig(t, rng), ops: ops}
	for i, kind := range kinds {
		at, code := s.Alloc(i/3, stressCells*stressWords*4, kind)
		s.want(code, Success)
		s.buffers = append(s.buffers, at)
	}
	for device := range s.add {
		f, code := s.Function(device, s.module, "add")
		s.want(code, Success)
		s.add[device] = f
	}
	s.runThreads(t)
	for i, at := range s.buffers {
		same(t, fmt.Sprint("buffer ", i), hostBytes(at, stressCells*stressWords*4), nativeBytes(want[i]))
	}
	for i, op := range ops {
		same(t, fmt.Sprint("what operation ", i, " copied"), op.seen, op.want)
		s.want(s.EventDestroy(op.event), Success)
	}
	for i, at := range s.buffers {
		s.want(s.Free(at, kinds[i] == MemoryPinned), Success)
	}
	if len(s.errors) != 0 {
		t.Error(s.errors)
	}
}

// newStressRig is a driver with two devices, of a random engine, whose host functions add as the kernel does.
func newStressRig(t *testing.T, rng *rand.Rand) *rig {
	cfg := Config{Devices: 2}
	cfg.Device.Engine = []vm.Engine{vm.Interp, vm.Auto}[rng.IntN(2)]
	cfg.Device.Workers = 1 + rng.IntN(3)
	r := newRig(t, cfg)
	r.host.Call = func(_, argument uint64) {
		p := hostBytes(argument, 16)
		at, by, n := binary.LittleEndian.Uint64(p), binary.LittleEndian.Uint32(p[8:]), binary.LittleEndian.Uint32(p[12:])
		for i := range uint64(n) {
			word := hostBytes(at+4*i, 4)
			binary.NativeEndian.PutUint32(word, binary.NativeEndian.Uint32(word)+by)
		}
	}
	return r
}

func (s *stress) runThreads(t *testing.T) {
	var wg sync.WaitGroup
	for number := range stressThreads {
		wg.Go(func() {
			if err := s.thread(number); err != nil {
				t.Errorf("thread %d: %v", number, err)
			}
		})
	}
	wg.Wait()
	for device := range 2 {
		s.want(s.Synchronize(device), Success)
	}
	kept.Clear()
}

func nativeBytes(words []uint32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 4*len(words))
}

func same(t *testing.T, what string, got, want []byte) {
	t.Helper()
	for i := range want {
		if len(got) != len(want) || got[i] != want[i] {
			t.Errorf("%s: byte %d of %d differs", what, i, len(want))
			return
		}
	}
}
