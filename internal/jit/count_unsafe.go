package jit

// Code that counts itself, for those who ask what a kernel spends its instructions on (bench -profile): each part
// of the machine code adds to a counter when it is entered.

import (
	"fmt"
	"sync"
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/jit/isel/amd64"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// Counted is a function whose code counts.
type Counted struct {
	Name    string
	Listing string // a note "# counted N" stands where counter N is added to
	Counts  []uint64
	Slots   int // of code of our own by the new pipeline: where in its frame values are that have no register; else 0

	over bool // there were more parts than can count
}

// maxCounted is the most parts that count.
const maxCounted = 1 << 14

var counting struct {
	sync.Mutex
	on   bool
	list []*Counted
}

// CountFromNow makes all engines of the process compile code that counts.
func CountFromNow() {
	counting.Lock()
	defer counting.Unlock()
	counting.on = true
}

// CountNoMore ends that; code that counts goes on to do so.
func CountNoMore() {
	counting.Lock()
	defer counting.Unlock()
	counting.on = false
}

// AllCounted lists what has been compiled so.
func AllCounted() []*Counted {
	counting.Lock()
	defer counting.Unlock()
	return append([]*Counted(nil), counting.list...)
}

// newCounts has the counters of a function to be compiled, nil if nobody wants any.
func newCounts() *Counted {
	counting.Lock()
	defer counting.Unlock()
	if !counting.on {
		return nil
	}
	c := &Counted{Counts: make([]uint64, maxCounted)} // the list keeps them where they are
	counting.list = append(counting.list, c)
	return c
}

// begin forgets an attempt to compile that has not fitted.
func (n *Counted) begin(name string) {
	if n != nil {
		n.Name, n.Counts = name, n.Counts[:0]
	}
}

// trace makes code of our own by the new pipeline count: each piece that runs from its beginning to its end, so that it is known to the
// instruction what has been executed.
func (n *Counted) trace(kernel string) *amd64.Trace {
	if n == nil {
		return nil
	}
	n.begin(kernel)
	return &amd64.Trace{Count: func() (uint64, string) {
		i := len(n.Counts)
		if n.over = i == maxCounted; n.over {
			i--
		}
		n.Counts = n.Counts[:i+1]
		return uint64(uintptr(unsafe.Pointer(&n.Counts[i]))), fmt.Sprintf("counted %d", i)
	}}
}

// end keeps what was traced.
func (n *Counted) end(t *amd64.Trace) error {
	if n == nil {
		return nil
	}
	if n.Listing, n.Slots = t.Listing, t.Slots; n.over {
		return fmt.Errorf("more than %d parts are to count", maxCounted)
	}
	return nil
}

// count makes this place add to a counter. Flags and RAX are lost.
func (c *compiler) count() {
	n := c.counted
	if n == nil || len(n.Counts) == maxCounted {
		return
	}
	i := len(n.Counts)
	n.Counts = n.Counts[:i+1]
	c.title("counted %d", i)
	c.MovImm(x86.RAX, uint64(uintptr(unsafe.Pointer(&n.Counts[i]))))
	c.M(x86.INC, x86.S64, x86.At(x86.RAX, 0).By(inHost))
	c.title(x86.CountedEnd)
}
