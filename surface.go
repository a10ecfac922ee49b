package ptxvm

// This file holds surfaces: handles of arrays, and the .surfref variables of programs.

import (
	"fmt"
	"slices"
	"sync"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/mem"
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

// isSurface tells which variables are references to surfaces: they have handles, not memory.
func isSurface(v *ir.Var) bool { return v.Type == isa.Surfref && inArena(v) }

// references is the number of handles of a .surfref variable, which may be an array.
func references(v *ir.Var) int { return int(v.Size / int64(mem.ImageStep)) }

// Bind lets the module's .surfref variable of a name mean an array, also for launches that come
// later. Without it, it means the array of its own name.
func (p *Program) Bind(name string, s Surface) error {
	v := p.module.Var(name)
	if v == nil || !isSurface(v) {
		return fmt.Errorf("ptxvm: no .surfref variable is called %q", name)
	}
	if s.of == nil || s.of.d != p.d {
		return fmt.Errorf("ptxvm: the surface for %s is of another device, or of none", name)
	}
	return s.of.use(func() error {
		return p.life.use(func() error {
			p.bound.Store(v, s)
			p.d.machine.SetImage(p.image.vars[v], p.d.machine.ImageOf(s.handle))
			return nil
		})
	})
}

// Surfaces lists the module's .surfref variables.
func (p *Program) Surfaces() (names []string) {
	for _, v := range p.refs {
		names = append(names, v.Name)
	}
	return names
}

// bindSurfaces binds the references that nobody has bound, or whose array has gone, by name.
func (p *Program) bindSurfaces() {
	for _, v := range p.refs {
		im := p.d.arrays.find(v.Name)
		if s, ok := p.bound.Load(v); ok {
			im = p.d.machine.ImageOf(s.(Surface).handle)
		}
		p.d.machine.SetImage(p.image.vars[v], im)
	}
}
