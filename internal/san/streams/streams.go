// Package streams finds races between launches and copies that nothing orders: those of different streams, or those that a Go
// program makes at the same time.
//
// Work is put into queues, one behind the other. Each piece knows which others are over before it begins: a number for each
// queue, as a vector clock has them, which follows from its queue, from the events that it waits for, and from what the host
// knew to be over when it was put there. What it has touched (race.Touched) is kept until nothing that can still come is
// unordered with it, and compared with what the others have touched, when the second of the two is over.
//
// The host's threads count as one: what one of them has waited for all know. A race may then be missed, none is invented.
package streams

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"ptxvm.invalid/ptxvm/internal/san/race"
)

// Past is the work that is over: of each queue up to a number, by the queue's index. It is never written after it is made.
type Past []uint32

// has reports whether a queue's work up to a number is over.
func (p Past) has(queue int, number uint32) bool { return queue < len(p) && p[queue] >= number }

// With is what is over by either.
func (p Past) With(o Past) Past {
	out := slices.Clone(p)
	for i, n := range o {
		out = out.set(i, n)
	}
	return out
}

// covers reports whether all that o says to be over is so.
func (p Past) covers(o Past) bool {
	for i, n := range o {
		if n != 0 && !p.has(i, n) {
			return false
		}
	}
	return true
}

// set is written: only what its caller has just made.
func (p Past) set(queue int, number uint32) Past {
	for len(p) <= queue {
		p = append(p, 0)
	}
	p[queue] = max(p[queue], number)
	return p
}

// mostKept is how much work is kept that is over; the oldest goes where there is more.
const mostKept = 128

// Order knows all queues of the devices that share memory. A nil Order knows none, and costs nothing.
type Order struct {
	limit int // bytes of what is kept

	running atomic.Int32 // work that has been put into a queue and is not over
	mu      sync.Mutex
	queues  []*Queue
	spare   []*Queue // closed, or at rest (Begin)
	host    Past     // what the host knows to be over
	kept    []*Work  // over, the oldest first
	bytes   int      // of kept
}

// New returns the order of no queues. What it keeps has a limit, in bytes.
func New(limit int64) *Order { return &Order{limit: int(limit)} }

// Queue is a stream as far as order goes.
type Queue struct {
	order *Order
	index int
	made  uint32
	last  Past    // what is over behind all its work
	open  []*Work // that is not over, in order
}

// Work is a launch or a copy, or a place in the order.
type Work struct {
	queue  *Queue
	number uint32
	knows  Past // what is over when it begins
	over   bool
	host   bool // its end is known to the host (Begin)
	ahead  bool // it may begin before all that it knows is over (Overlap): when that is over which it has in early
	early  Past

	in         *Work        // of a step: the graph's launch
	step       int          // its number there
	steps      map[int]bool // of a step: those that are over when it begins, or, where it is ahead, when its threads have waited
	earlySteps map[int]bool // of a step that is ahead: those that are over when it begins

	touched *race.Touched
	device  int
}

// NewQueue returns a queue without work.
func (o *Order) NewQueue() *Queue {
	if o == nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.newQueue()
}

// mostQueues is how many queues there are before new ones go on behind closed ones of which the host does not know.
const mostQueues = 256

// newQueue takes up one that is spare, behind whose work the new one then is, if the host knows that to be over; else it makes one.
func (o *Order) newQueue() *Queue {
	for i, q := range o.spare {
		if len(q.open) == 0 && (q.made == 0 || o.host.has(q.index, q.made) || len(o.queues) >= mostQueues) {
			o.spare = slices.Delete(o.spare, i, i+1)
			return q
		}
	}
	q := &Queue{order: o, index: len(o.queues)}
	o.queues = append(o.queues, q)
	return q
}

// Close tells that nothing more is put into the queue.
func (q *Queue) Close() {
	if q != nil {
		q.order.mu.Lock()
		q.order.spare = append(q.order.spare, q)
		q.order.mu.Unlock()
	}
}

// Put puts work into the queue, behind what has been put there, what else is said to be over before it, and what the host knows.
func (q *Queue) Put(after ...Past) *Work {
	if q == nil {
		return nil
	}
	q.order.mu.Lock()
	defer q.order.mu.Unlock()
	return q.put(after...)
}

func (q *Queue) put(after ...Past) *Work {
	q.made++
	w := &Work{queue: q, number: q.made, knows: q.last.With(q.order.host)}
	for _, p := range after {
		w.knows = w.knows.With(p)
	}
	q.last = w.past()
	q.open = append(q.open, w)
	q.order.running.Add(1)
	return w
}

// past is what is over behind the work.
func (w *Work) past() Past { return slices.Clone(w.knows).set(w.queue.index, w.number) }

// Past is what is over behind the work; behind a step, the whole graph counts as over.
func (w *Work) Past() Past {
	if w == nil {
		return nil
	}
	w.queue.order.mu.Lock()
	defer w.queue.order.mu.Unlock()
	return w.past()
}

// Before is what is over when the work begins; before a step, the whole graph counts as over, for want of a number of its own.
func (w *Work) Before() Past {
	switch {
	case w == nil:
		return nil
	case w.in != nil:
		return w.Past()
	}
	w.queue.order.mu.Lock()
	defer w.queue.order.mu.Unlock()
	return w.knows
}

// Join puts the work, which runs, behind what it has waited for meanwhile, and with it all that comes behind it.
func (w *Work) Join(p Past) {
	if w == nil || p == nil {
		return
	}
	q := w.queue
	q.order.mu.Lock()
	defer q.order.mu.Unlock()
	w.knows = w.knows.With(p)
	q.last = q.last.With(p)
	for _, later := range q.open {
		if later.number >= w.number {
			later.knows = later.knows.With(p)
		}
	}
}

// Overlap lets work that has just been put begin when that is over which early says, and what the host knows: a programmatic
// launch. What it begins beside is taken to have waited itself for what it came behind. Only what its threads do when they have waited (griddepcontrol.wait) comes behind all that it was put behind. It does
// nothing where all of that is over by then.
func (w *Work) Overlap(early ...Past) {
	if w == nil {
		return
	}
	o := w.queue.order
	o.mu.Lock()
	defer o.mu.Unlock()
	begin := o.host
	for _, p := range early {
		begin = begin.With(p)
	}
	if !begin.covers(w.knows) {
		w.ahead, w.early = true, begin
	}
}

// Within is a place in the course of the work: what comes behind it comes behind what the work came behind, and not behind the work.
func (w *Work) Within() *Work {
	if w == nil {
		return nil
	}
	w.queue.order.mu.Lock()
	defer w.queue.order.mu.Unlock()
	return &Work{queue: w.queue, knows: w.knows, over: true}
}

// MayOverlap tells whether the work may begin before all that it comes behind is over.
func (w *Work) MayOverlap() bool { return w != nil && w.ahead }

// begins is what is over when the work begins.
func (w *Work) begins() Past {
	if w.ahead {
		return w.early
	}
	return w.knows
}

// Step is a node of a graph, whose launch w is: it comes behind some of its steps. Steps are numbered. Of those that it comes
// behind it may begin before the loose ones are over, when that is which they came behind (Overlap).
func (w *Work) Step(number int, steps []*Work, after []int, loose map[int]bool) *Work {
	if w == nil {
		return nil
	}
	w.queue.order.mu.Lock()
	defer w.queue.order.mu.Unlock()
	s := &Work{queue: w.queue, number: w.number, knows: w.knows, in: w, step: number, steps: map[int]bool{}}
	s.ahead, s.early, s.earlySteps = len(loose) != 0, s.knows, map[int]bool{}
	for _, i := range after {
		s.steps[i] = true
		maps.Copy(s.steps, steps[i].steps)
		maps.Copy(s.earlySteps, steps[i].steps)
		if !loose[i] {
			s.earlySteps[i] = true
		}
	}
	return s
}

// Part is work in the place of w, a step, which has several parts: a node that runs bodies. Parts are not compared with each other.
func (w *Work) Part() *Work {
	if w == nil {
		return nil
	}
	w.queue.order.mu.Lock()
	defer w.queue.order.mu.Unlock()
	return &Work{queue: w.queue, number: w.number, knows: w.knows, in: w.in, step: w.step, steps: w.steps}
}

// All is all work that was put into queues, as if it were over.
func (o *Order) All() (p Past) {
	if o == nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, q := range o.queues {
		p = p.set(q.index, q.made)
	}
	return p
}

// behind reports whether other work is over when this begins.
func (w *Work) behind(o *Work) bool {
	if w.in != nil && w.in == o.in {
		return w.step == o.step || w.steps[o.step]
	}
	return w.knows.has(o.queue.index, o.number)
}

// beginsBehind reports whether other work that the work comes behind is over when it begins.
func (w *Work) beginsBehind(o *Work) bool {
	if w.in != nil && w.in == o.in {
		return w.step == o.step || w.earlySteps[o.step]
	}
	return w.early.has(o.queue.index, o.number)
}

// Learn tells that the host has seen that something is over.
func (o *Order) Learn(p Past) {
	if o == nil || p == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.learn(p)
}

func (o *Order) learn(p Past) {
	o.host = o.host.With(p)
	o.forgetOrdered()
}

// Begin is work of a Go program that runs while it calls: it is behind all calls that have returned.
func (o *Order) Begin() *Work {
	if o == nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	w := o.newQueue().put()
	w.host = true
	return w
}

// Copied is a copy by a call of a Go program, which is about to return.
func (o *Order) Copied(ranges ...race.Range) {
	if o != nil && o.running.Load() != 0 {
		o.Begin().End(race.Copied(ranges...), 0)
	}
}

// Conflict is what two pieces of work of which neither is behind the other do to the same bytes.
type Conflict struct {
	*race.Meeting
	Earlier, Later *race.Touched // of First and of Second
	Unwaited       bool          // Second is by threads that had not waited for the work of First, which theirs may overlap
}

// End tells that work is over, and what it has done on a device, nil if nothing is known of that. It returns what that
// conflicts with of the work that was over before it. It does nothing the second time.
func (w *Work) End(t *race.Touched, device int) (found []Conflict) {
	if w == nil {
		return nil
	}
	o := w.queue.order
	o.mu.Lock()
	defer o.mu.Unlock()
	if w.over {
		return nil
	}
	if t != nil {
		w.touched, w.device = t, device
		found = o.conflicts(w)
		o.keep(w)
	}
	if w.over = true; w.in == nil {
		w.leave()
	}
	if w.host {
		o.spare = append(o.spare, w.queue)
		o.host = o.host.With(w.past())
	}
	o.forgetOrdered()
	return found
}

// leave takes work that is over out of its queue.
func (w *Work) leave() {
	q := w.queue
	q.open = slices.DeleteFunc(q.open, func(o *Work) bool { return o == w })
	q.order.running.Add(-1)
}

// conflicts compares work with what is kept.
func (o *Order) conflicts(w *Work) (found []Conflict) {
	var copies []Conflict
	talks := false
	for _, k := range o.kept {
		second := w.touched
		switch {
		case !w.behind(k):
		case !w.ahead || w.beginsBehind(k):
			continue
		default:
			second = w.touched.Early()
		}
		met, talk := race.Meet(k.touched, second, k.device == w.device)
		for _, m := range met {
			c := Conflict{m, k.touched, w.touched, second != w.touched}
			if k.touched.Copy() && w.host {
				copies = append(copies, c)
				continue
			}
			found = append(found, c)
		}
		talks = talks || talk && k.touched.Copy()
	}
	if talks { // a flag of the host's orders the other copies that it makes meanwhile
		return found
	}
	return append(found, copies...)
}

// keep keeps what work that is over has done.
func (o *Order) keep(w *Work) {
	o.kept = append(o.kept, w)
	o.bytes += w.touched.Bytes
	for len(o.kept) > mostKept || o.bytes > o.limit && len(o.kept) != 0 {
		o.bytes -= o.kept[0].touched.Bytes
		o.kept = slices.Delete(o.kept, 0, 1)
	}
}

// forgetOrdered drops what nothing that can still come, or is not over, is unordered with.
func (o *Order) forgetOrdered() {
	o.kept = slices.DeleteFunc(o.kept, func(w *Work) bool {
		ordered := o.host.has(w.queue.index, w.number) && !slices.ContainsFunc(o.queues, func(q *Queue) bool {
			return len(q.open) != 0 && q.open[0] != w && !q.open[0].begins().has(w.queue.index, w.number)
		})
		if ordered {
			o.bytes -= w.touched.Bytes
		}
		return ordered
	})
}

// Forget makes memory new: what was done there before is over, and those who may have it next have been told.
func (o *Order) Forget(from, to uint64) {
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, w := range o.kept {
		w.touched.Forget(from, to)
	}
}
