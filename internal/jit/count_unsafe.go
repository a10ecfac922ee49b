package jit

// Code that counts itself, for those who ask what a kernel spends its instructions on (bench -profile): each part
// of the machine code adds to a counter when it is entered.

import (
	"sync"
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// Counted is a function whose code counts.
type Counted struct {
	Name    string
	Listing string // a note "# counted N" stands where counter N is added to
	Counts  []uint64
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
	c.title("behind the counter")
}
