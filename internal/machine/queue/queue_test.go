package queue

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestTensorOrder has the pairs that are ordered (9.7.16.6.2), and a copy behind a product.
func TestTensorOrder(t *testing.T) {
	kinds := []TensorKind{TensorProduct, TensorCopy, TensorCopyLanes, TensorShift}
	ordered := map[[2]TensorKind]bool{
		{TensorProduct, TensorProduct}: true, {TensorCopy, TensorProduct}: true, {TensorCopyLanes, TensorProduct}: true,
		{TensorShift, TensorProduct}: true, {TensorShift, TensorCopyLanes}: true, {TensorProduct, TensorShift}: true,
		{TensorProduct, TensorCopy}: true, {TensorProduct, TensorCopyLanes}: true,
	}
	for _, first := range kinds {
		for _, then := range kinds {
			a := &Entry{Pipe: Tensor, Tensor: TensorStep{first, 1}, Number: 1}
			b := &Entry{Pipe: Tensor, Tensor: TensorStep{then, 1}, Number: 2}
			if have, want := b.Follows(a, HasRead, false), ordered[[2]TensorKind{first, then}]; have != want {
				t.Errorf("kind %d before %d: ordered %v, want %v", first, then, have, want)
			}
			c := &Entry{Pipe: Tensor, After: true, Number: 3}
			if !c.Follows(a, HasSignalled, true) || c.Follows(b, HasSignalled, false) || c.Follows(a, HasRead, true) || b.Follows(c, HasRead, true) {
				t.Errorf("kind %d: a commit tracks what its thread has issued", first)
			}
		}
	}
	product := func(n uint64) *Entry {
		return &Entry{Pipe: Tensor, Tensor: TensorStep{TensorProduct, n}, Number: n}
	}
	if product(2).Follows(product(1), HasRead, false) {
		t.Error("products with other accumulators are ordered")
	}
}

// op is an operation that writes down what it does.
type op struct {
	Entry
	name    string
	lanes   uint32
	signals bool
	fails   Step
	log     *[]string
}

func (o *op) State() *Entry { return &o.Entry }
func (o *op) On() uint32    { return o.lanes }
func (o *op) Signals() bool { return o.signals }
func (o *op) Over()         { o.note("ends") }

func (o *op) Divide(lanes uint32) *op {
	mine := *o
	mine.lanes = lanes
	o.lanes &^= lanes
	return &mine
}

func (o *op) Take(s Step) bool {
	o.note(s.String())
	return o.fails != s
}

func (o *op) note(what string) {
	*o.log = append(*o.log, fmt.Sprintf("%s/%x %s", o.name, o.lanes, what))
}

type opQueue = Queue[op, *op]

// rig is a queue of mode Lazy, into which operations come by name.
type rig struct {
	*opQueue
	log []string
}

func newRig(mode Mode) *rig {
	r := &rig{opQueue: new(opQueue)}
	r.Start(mode, false, 1)
	return r
}

func (r *rig) add(t *testing.T, name string, e Entry, lanes uint32) *op {
	t.Helper()
	o := &op{Entry: e, name: name, lanes: lanes, log: &r.log}
	r.Enter(o, Issuer{0, 0})
	if !r.Add(o) {
		t.Fatalf("%s: %v", name, r.log)
	}
	return o
}

func (r *rig) want(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(r.log, want) {
		t.Errorf("%s\nwant %s", strings.Join(r.log, ", "), strings.Join(want, ", "))
	}
	r.log = nil
}

// TestAwait: a wait takes the steps that it wants, of the lanes that it covers, and what must come first; the
// rest stays open.
func TestAwait(t *testing.T) {
	r := newRig(Lazy)
	r.add(t, "a", Entry{Pipe: Copy}, 0xf)
	r.add(t, "b", Entry{Pipe: Copy}, 0xf)
	covers := func(lanes uint32) func(*op) uint32 {
		return func(o *op) uint32 {
			if o.name == "b" {
				return 0
			}
			return o.lanes & lanes
		}
	}
	for range 2 { // the second finds nothing to do
		if !r.Await(HasRead, covers(3)) {
			t.Error("failed")
		}
	}
	r.want(t, "a/3 read")
	if !r.Await(HasSignalled, covers(5)) {
		t.Error("failed")
	}
	r.want(t, "a/1 written", "a/1 over", "a/1 ends", "a/4 read", "a/4 written", "a/4 over", "a/4 ends")
	if n := len(r.Open()); n != 3 || r.Settled() {
		t.Errorf("%d are open", n)
	}
	r.add(t, "c", Entry{Pipe: Copy, After: true}, 2)
	if !r.Await(HasSignalled, func(o *op) uint32 { return map[bool]uint32{true: o.lanes}[o.name == "c"] }) {
		t.Error("failed")
	}
	r.want(t, "c/2 read", "c/2 written", "a/2 written", "a/2 over", "a/2 ends", "b/2 read", "b/2 written", "b/2 over", "b/2 ends", "c/2 over", "c/2 ends")
}

// TestPress: where nothing else can go on what signals goes first, and when no lane is left nothing signals.
func TestPress(t *testing.T) {
	r := newRig(Lazy)
	r.add(t, "a", Entry{Pipe: Store}, 1)
	r.add(t, "b", Entry{Pipe: Store}, 1).signals = true
	if r.Quiet() || !r.Press() {
		t.Error("b signals")
	}
	r.want(t, "b/1 read", "b/1 written", "b/1 over", "b/1 ends")
	if !r.Quiet() || !r.Drain() || r.Press() {
		t.Error("a is all that there is")
	}
	r.want(t, "a/1 read", "a/1 written")
}

// TestPatience: an operation goes on by itself when nothing has happened for long, and a step that fails is told.
func TestPatience(t *testing.T) {
	r := newRig(Lazy)
	r.add(t, "a", Entry{Pipe: Store}, 1).fails = HasWritten
	turns := 1
	for ; r.Turn(); turns++ {
	}
	if r.want(t, "a/1 read", "a/1 written"); turns+1 != patience {
		t.Errorf("%d turns", turns)
	}
}

// TestOrdered: in mode Random operations of an ordered pipe never change places, those of another one do for
// some seed.
func TestOrdered(t *testing.T) {
	for pipe, ordered := range map[Pipe]bool{Product: true, TensorLoad: true, Store: false} {
		other := false
		for seed := range uint64(40) {
			r := newRig(Random)
			r.Start(Random, false, seed)
			for _, name := range []string{"a", "b", "c"} {
				r.add(t, name, Entry{Pipe: pipe}, 1)
			}
			r.Drain()
			var names []string
			for _, line := range r.log {
				if strings.HasSuffix(line, "written") {
					names = append(names, line[:1])
				}
			}
			other = other || !slices.IsSorted(names)
		}
		if other == ordered {
			t.Errorf("pipe %d: another order seen: %v", pipe, other)
		}
	}
}

// TestGroups: a lane's group is closed when it commits, by itself.
func TestGroups(t *testing.T) {
	g := new(Groups)
	e := &Entry{Pipe: Bulk, Group: g.Open(Bulk)}
	if g.Any(Bulk) || g.Closed(e, 1, 0) {
		t.Error("a group is closed")
	}
	g.Commit(Bulk, 2)
	g.Commit(Bulk, 6)
	if !g.Closed(e, 1, 1) || g.Closed(e, 1, 2) || !g.Closed(e, 2, 0) || g.Closed(e, 0, 0) || g.Any(Copy) || !g.Any(Bulk) {
		t.Errorf("%v", g)
	}
	if last := g.Open(Bulk); last[1] != 2 || last[2] != 1 {
		t.Errorf("%v", last)
	}
}
