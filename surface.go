package ptxvm

// This file holds surfaces: handles of arrays.

import (
	"slices"
	"sync"

	"ptxvm.invalid/ptxvm/internal/machine"
)

// Surface is a handle of an array, a 64-bit argument of kernels. A kernel may keep it in memory
// and hand it to suld, sust, sured and suq, like the address of a .surfref variable.
type Surface struct {
	of     *lifetime
	handle uint64
}

// Handle is the number that a kernel sees; it may be stored in buffers that kernels read.
func (s Surface) Handle() uint64 { return s.handle }

// namedArrays are the arrays of a device that have names; the last of a name counts.
type namedArrays struct {
	mu   sync.Mutex
	list []Array
}

func (n *namedArrays) add(a Array) {
	if a.desc.Name == "" {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = append(n.list, a)
}

func (n *namedArrays) remove(a Array) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = slices.DeleteFunc(n.list, func(b Array) bool { return b.handle == a.handle })
}

// find returns the image of a name, nil if there is none.
func (n *namedArrays) find(name string) *machine.Image {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, a := range slices.Backward(n.list) {
		if a.desc.Name == name {
			return a.image
		}
	}
	return nil
}
