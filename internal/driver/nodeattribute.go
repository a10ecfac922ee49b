package driver

// This file holds attributes of kernels in graphs: those of launches, of which two say how a kernel runs.

import (
	"encoding/binary"
	"maps"

	"ptxvm.invalid/ptxvm/internal/vm"
)

// AttributeValue is what an attribute is, as CUDA lays it out (cudaLaunchAttributeValue).
type AttributeValue [64]byte

// The attributes of kernel nodes, with CUDA's numbers (cudaLaunchAttributeID). Those without a name are hints about time and
// caches, which are kept.
const (
	attributeCooperative = 2
	attributeCluster     = 4
	attributePriority    = 8
)

var attributeHints = map[int]bool{1: true, 5: true, attributePriority: true, 9: true, 10: true, 14: true, 16: true}

// NodeAttribute tells an attribute of a kernel node, or sets it.
func (d *Driver) NodeAttribute(h uint64, id int, value *AttributeValue, set bool) (code Code) {
	defer d.defect(&code)
	d.graphs.Lock()
	defer d.graphs.Unlock()
	n, w := d.kernelNode(h)
	switch {
	case w == nil:
		return InvalidValue
	case attributeHints[id] && set:
		n.setHint(id, *value)
		return Success
	case attributeHints[id]:
		*value = n.hints[id]
		return Success
	case id != attributeCooperative && id != attributeCluster:
		return InvalidValue
	case !set:
		*value = w.attribute(id)
		return Success
	}
	return d.setLaunch(n, w, id, value)
}

func (d *Driver) kernelNode(h uint64) (*node, *kernelWork) {
	n, ok := lookup[*node](d, h)
	if !ok {
		return nil, nil
	}
	w, _ := n.work.(*kernelWork)
	return n, w
}

func (n *node) setHint(id int, value AttributeValue) {
	if n.hints == nil {
		n.hints = map[int]AttributeValue{}
	}
	n.hints[id] = value
}

// attribute is one that says how the kernel runs.
func (w *kernelWork) attribute(id int) (value AttributeValue) {
	if id == attributeCooperative {
		binary.NativeEndian.PutUint32(value[:], uint32(btoi(w.launch.Cooperative)))
		return value
	}
	c := w.launch.Cluster
	for i, n := range []uint32{c.X, c.Y, c.Z} {
		binary.NativeEndian.PutUint32(value[4*i:], n)
	}
	return value
}

// setLaunch gives a node its kernel with another launch, if that is possible.
func (d *Driver) setLaunch(n *node, w *kernelWork, id int, value *AttributeValue) Code {
	word := func(i int) uint32 { return binary.NativeEndian.Uint32(value[4*i:]) }
	l := w.launch
	if id == attributeCooperative {
		l.Cooperative = word(0) != 0
	} else {
		l.Cluster = vm.Dim3{X: word(0), Y: word(1), Z: word(2)}
	}
	changed, code := d.relaunched(n.dev, w, l)
	if code == Success {
		n.work = changed
	}
	return code
}

// NodeAttributes gives a kernel node the attributes of another.
func (d *Driver) NodeAttributes(to, from uint64) (code Code) {
	defer d.defect(&code)
	d.graphs.Lock()
	defer d.graphs.Unlock()
	n, w := d.kernelNode(to)
	m, of := d.kernelNode(from)
	if w == nil || of == nil {
		return InvalidValue
	}
	l := w.launch
	l.Cooperative, l.Cluster = of.launch.Cooperative, of.launch.Cluster
	changed, code := d.relaunched(n.dev, w, l)
	if code == Success {
		n.work, n.hints = changed, maps.Clone(m.hints)
	}
	return code
}
