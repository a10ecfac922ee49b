package driver

// This file holds streams: queues of work, run by a goroutine or by a thread that waits for them.

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"ptxvm.invalid/ptxvm/internal/san/streams"
)

// Default streams (CUDA Runtime API, "Stream synchronization behavior").
const (
	StreamLegacy    uint64 = 1 // 0 means the same
	StreamPerThread uint64 = 2 // the front puts the thread's own stream in its place
)

// StreamNonBlocking makes a stream that does not take part in the legacy default stream's order.
const StreamNonBlocking = 1

// StreamOfThread makes the default stream of a thread, which stays when its device is reset. Programs do not see the flag.
const StreamOfThread = 1 << 31

// stream is a queue. An item starts when the one before it has ended, and what it waits for besides.
type stream struct {
	dev      *device
	lasting  bool // StreamOfThread
	flags    uint32
	priority atomic.Int32
	blocking bool // takes part in the legacy order

	mu    sync.Mutex
	queue []*item
	last  *item // enqueued last
	busy  bool  // an item is running

	running *item // the kernel that has begun last, where kernels run beside each other
	waiters int   // threads that wait for the stream

	order *streams.Queue // for races between streams; else nil

	capture *capture // guarded by Driver.graphs; nil: work runs
	tips    []*node  // of the capture: what the next node comes after
	says    edges    // what these edges say
}

// item is a piece of work.
type item struct {
	work  work // nil: nothing but its place in the order
	after []*item
	over  atomic.Bool
	done  chan struct{} // closed at the end
	ended time.Time     // valid once over
	at    *streams.Work // for races between streams; else nil

	place                bool     // nothing but that
	kernel, programmatic bool     // a launch; one that may begin before the kernel in front of it is over
	triggers             [2]*item // a launch's events (Launch.Events), which happen before it is over; nil: there is none
	beside
}

func newItem(w work) *item {
	it := &item{work: w, place: w == nil, done: make(chan struct{})}
	if k, ok := w.(*kernelWork); ok {
		it.kernel, it.programmatic = true, k.launch.Programmatic
	}
	return it
}

func (it *item) finish() {
	it.ended = time.Now()
	it.over.Store(true)
	close(it.done)
}

// stream finds the stream of a handle.
func (dev *device) stream(h uint64) (*stream, Code) {
	if h == 0 || h == StreamLegacy {
		return dev.legacy, Success
	}
	s, ok := lookup[*stream](dev.d, h)
	if !ok || s.dev != dev {
		return nil, InvalidHandle
	}
	return s, Success
}

// enqueue puts work into the stream and returns its item. Work that the caller will wait for at once starts no
// goroutine: the caller runs it.
func (s *stream) enqueue(w work, after ...*item) *item { return s.put(newItem(w), true, after) }

func (s *stream) put(it *item, start bool, after []*item) *item {
	s.dev.d.order.Lock()
	it.inherit(s.tail())
	if s.order != nil {
		s.place(it, after)
	}
	it.after = append(after, s.legacyOrder()...)
	if k, ok := it.work.(*kernelWork); ok {
		k.queued, k.unchecked, k.turn = true, !s.dev.d.looksAt(k.f), s.dev.d.turnOf(k.f)
	}
	s.mu.Lock()
	s.queue, s.last = append(s.queue, it), it
	idle := !s.busy
	s.beginNext()
	s.mu.Unlock()
	s.dev.d.order.Unlock()
	switch {
	case s.dev.d.cfg.Blocking:
		s.wait(it)
	case start && idle:
		go s.drain()
	}
	return it
}

// place gives an item its place in the order of all streams, as far as races are concerned. A launch may begin before the kernel
// in front of it is over, if it is programmatic, and before those are over of whose triggers alone it comes behind.
func (s *stream) place(it *item, after []*item) {
	past := append(pastOf(after), s.legacyPast()...)
	last := s.tail()
	switch {
	case it.kernel && len(it.loose) != 0:
		it.at = s.order.Put(append(past, pastOf(it.loose)...)...)
		it.at.Overlap(append(past, last.at.Past())...)
	case it.programmatic && last != nil && last.kernel:
		it.at = s.order.Put(past...)
		it.at.Overlap(append(past, last.at.Before())...)
	default:
		it.at = s.order.Put(past...)
	}
}

// legacyOrder lists what the default stream and the blocking ones wait for besides their own items.
func (s *stream) legacyOrder() (after []*item) {
	if !s.blocking {
		return nil
	}
	if s != s.dev.legacy {
		return appendOpen(nil, s.dev.legacy)
	}
	s.dev.mu.Lock()
	defer s.dev.mu.Unlock()
	for other := range s.dev.streams {
		if other != s && other.blocking {
			after = appendOpen(after, other)
		}
	}
	return after
}

// appendOpen adds a stream's last item unless that is over.
func appendOpen(list []*item, s *stream) []*item {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil || s.last.over.Load() {
		return list
	}
	return append(list, s.last)
}

// drain runs items until there are none, or another goroutine runs them.
func (s *stream) drain() { s.drainUntil(nil) }

// drainUntil is drain up to an item.
func (s *stream) drainUntil(last *item) {
	s.mu.Lock()
	for !s.busy && len(s.queue) != 0 && (last == nil || !last.over.Load()) {
		it := s.queue[0]
		s.queue[0] = nil
		s.queue = s.queue[1:]
		s.busy = true
		s.mu.Unlock()
		s.perform(it)
		s.mu.Lock()
		s.busy = false
	}
	if !s.busy && len(s.queue) != 0 {
		go s.drain()
	}
	s.mu.Unlock()
}

func (s *stream) perform(it *item) {
	for _, dep := range it.after {
		<-dep.done
	}
	it.after = nil
	s.depend(it)
	if it.work != nil {
		s.dev.do(it.work, it.at)
		it.work = nil
	}
	it.at.End(nil, 0)
	next := s.settle(it)
	it.finish()
	it.trigger(atDependents)
	if next != nil && it.front == nil { // the others of a chain wait for each other
		s.follow(next)
	}
}

// follow waits for the items that have begun beside each other, from one on.
func (s *stream) follow(it *item) {
	for it != nil {
		<-it.done
		s.mu.Lock()
		it = it.next
		s.mu.Unlock()
	}
}

// do does work. What comes after a defect does not wait for ever.
func (dev *device) do(w work, at *streams.Work) {
	defer dev.d.defectInWork()
	dev.d.doing.Add(1)
	defer dev.d.doing.Add(-1)
	dev.d.begun.Add(1)
	w.do(dev, at)
}

// wait returns when an item of the stream is over; the caller's thread helps.
func (s *stream) wait(it *item) {
	if it == nil {
		return
	}
	defer s.dev.d.known(it)
	if it.over.Load() {
		return
	}
	s.await(1)
	defer s.await(-1)
	s.drainUntil(it)
	for range spins { // what another thread runs is often short
		if it.over.Load() {
			return
		}
		runtime.Gosched()
	}
	<-it.done
}

const spins = 20

// await counts a thread that waits for the stream.
func (s *stream) await(n int) {
	s.mu.Lock()
	s.waiters += n
	s.mu.Unlock()
}

// tail is the item that was enqueued last; nil if there never was one.
func (s *stream) tail() *item {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// idle reports whether all work is over.
func (s *stream) idle() bool {
	it := s.tail()
	return it == nil || it.over.Load()
}

// now runs work in the stream's order and returns when it is over.
func (s *stream) now(w work) { s.wait(s.put(newItem(w), false, nil)) }

// synchronize waits for all streams of the device.
func (dev *device) synchronize() {
	dev.mu.Lock()
	streams := make([]*stream, 0, len(dev.streams))
	for s := range dev.streams {
		streams = append(streams, s)
	}
	dev.mu.Unlock()
	for _, s := range streams {
		s.wait(s.tail())
	}
}

// whenIdle has f run when all that is enqueued on the device by now is over: at once if it is.
func (dev *device) whenIdle(f func()) {
	var open []*item
	dev.mu.Lock()
	for s := range dev.streams {
		open = appendOpen(open, s)
	}
	dev.mu.Unlock()
	if len(open) == 0 {
		f()
		return
	}
	go func() {
		for _, it := range open {
			<-it.done
		}
		f()
	}()
}

// StreamCreate makes a stream.
func (d *Driver) StreamCreate(dev int, flags uint32, priority int32) (h uint64, code Code) {
	defer d.defect(&code)
	v, code := d.device(dev)
	if code != Success {
		return 0, code
	}
	lasting := flags&StreamOfThread != 0
	flags &^= StreamOfThread
	if flags&^StreamNonBlocking != 0 {
		return 0, InvalidValue
	}
	s := &stream{dev: v, lasting: lasting, flags: flags, blocking: flags&StreamNonBlocking == 0, order: d.races.NewQueue()}
	s.priority.Store(priority)
	v.mu.Lock()
	v.streams[s] = true
	v.mu.Unlock()
	return d.register(s), Success
}

// StreamDestroy ends a handle; its work goes on.
func (d *Driver) StreamDestroy(h uint64) (code Code) {
	defer d.defect(&code)
	s, ok := forget[*stream](d, h)
	if !ok {
		return InvalidHandle
	}
	d.leaveCapture(s)
	leave := func(*device) {
		s.dev.mu.Lock()
		s.leave()
		delete(s.dev.streams, s)
		s.dev.mu.Unlock()
	}
	if s.idle() {
		leave(s.dev)
	} else {
		s.enqueue(doing(leave))
	}
	return d.Sticky()
}

// StreamInfo tells a stream's device, flags and priority.
func (d *Driver) StreamInfo(h uint64) (dev int, flags uint32, priority int32, code Code) {
	s, ok := lookup[*stream](d, h)
	if !ok {
		return 0, 0, 0, InvalidHandle
	}
	return s.dev.number, s.flags, s.priority.Load(), Success
}

// StreamPriority gives a stream another priority, which what it captures from now on has, too.
func (d *Driver) StreamPriority(h uint64, priority int32) Code {
	s, ok := lookup[*stream](d, h)
	if !ok {
		return InvalidHandle
	}
	s.priority.Store(priority)
	return d.Sticky()
}

// StreamQuery is NotReady while the stream has work.
func (d *Driver) StreamQuery(dev int, h uint64) (code Code) {
	defer d.defect(&code)
	s, code := d.waitable(dev, h)
	if code != Success {
		return code
	}
	if !s.idle() {
		return NotReady
	}
	d.known(s.tail())
	d.flush()
	return d.Sticky()
}

// StreamSynchronize waits for a stream.
func (d *Driver) StreamSynchronize(dev int, h uint64) (code Code) {
	defer d.defect(&code)
	s, code := d.waitable(dev, h)
	if code != Success {
		return code
	}
	s.wait(s.tail())
	d.flush()
	return d.Sticky()
}

// Synchronize waits for a device.
func (d *Driver) Synchronize(dev int) (code Code) {
	defer d.defect(&code)
	v, code := d.outsideCaptures(dev)
	if code != Success {
		return code
	}
	v.synchronize()
	d.flush()
	return d.Sticky()
}

// Finish waits for all work at the end of the process. Where a host function ends it, in a stream that would wait for the function,
// it only hands over what has been printed, and says NotReady.
func (d *Driver) Finish(inHost bool) (code Code) {
	defer d.defect(&code)
	if inHost {
		d.flush()
		return NotReady
	}
	for i := range d.devices {
		d.Synchronize(i)
	}
	return d.Sticky()
}

// streamOf finds a stream on a device that works.
func (d *Driver) streamOf(dev int, h uint64) (*stream, Code) {
	v, code := d.device(dev)
	if code != Success {
		return nil, code
	}
	s, code := d.named(v, h)
	if code == Success {
		code = d.legacyInCapture(s)
	}
	return s, code
}

// named finds the stream of a handle, of whatever device.
func (d *Driver) named(v *device, h uint64) (*stream, Code) {
	if s, ok := lookup[*stream](d, h); ok {
		return s, Success
	}
	return v.stream(h)
}

// waitable finds a stream that a call waits for, which one that is being captured has nothing for.
func (d *Driver) waitable(dev int, h uint64) (*stream, Code) {
	s, code := d.streamOf(dev, h)
	if code == Success {
		code = d.notCapturing(s)
	}
	return s, code
}

// HostFunction runs a function of the program in the stream's order.
func (d *Driver) HostFunction(dev int, h, fn, argument uint64) (code Code) {
	defer d.defect(&code)
	s, code := d.streamOf(dev, h)
	if code != Success {
		return code
	}
	if fn == 0 {
		return InvalidValue
	}
	return s.submit(&hostWork{fn, argument})
}
