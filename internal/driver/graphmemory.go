package driver

// This file holds the memory that graphs allocate and free, and counts it (cudaGraphMemAttributeType).

import "slices"

// GraphMemoryCount is a count of bytes, with CUDA's number.
type GraphMemoryCount int32

// The counts. Each is followed by the most that it has been since it was reset.
const (
	GraphMemoryUsed     GraphMemoryCount = 0 // from the run of an allocation's node to that of its free node
	GraphMemoryReserved GraphMemoryCount = 2 // as long as a graph has the allocation's node
	graphMemoryCounts                    = 4
)

// graphMemory is the counts of a device; Driver.mu guards them.
type graphMemory [graphMemoryCounts]uint64

// add changes a count by n bytes, which may be less than none.
func (m *graphMemory) add(of GraphMemoryCount, n uint64) {
	m[of] += n
	m[of+1] = max(m[of+1], m[of])
}

// GraphMemory tells a count of a device.
func (d *Driver) GraphMemory(dev int, of GraphMemoryCount) (n uint64, code Code) {
	v, code := d.device(dev)
	switch {
	case code != Success:
		return 0, code
	case of < 0 || of >= graphMemoryCounts:
		return 0, InvalidValue
	}
	d.mu.RLock()
	defer d.mu.RUnlock()
	return v.graphs[of], Success
}

// GraphMemoryReset makes the most that a count has been what it is now.
func (d *Driver) GraphMemoryReset(dev int, of GraphMemoryCount) Code {
	v, code := d.device(dev)
	switch {
	case code != Success:
		return code
	case of != GraphMemoryUsed+1 && of != GraphMemoryReserved+1:
		return InvalidValue
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	v.graphs[of] = v.graphs[of-1]
	return Success
}

// hasMemory reports whether nodes allocate or free memory, also inside. Such a graph is not copied, loses no node or edge, and has one
// executable graph at a time (CUDA Driver API, cuGraphAddMemAllocNode).
func (g *graph) hasMemory() bool {
	return slices.ContainsFunc(g.nodes, func(n *node) bool {
		kind := kindOf(n.work)
		return kind == AllocNode || kind == FreeNode || slices.ContainsFunc(insideOf(n.work), (*graph).hasMemory)
	})
}

// fits reports whether a graph may have a node: what is freed must be of graphs, and not freed there already; a graph that is moved must be
// the program's own, and not hold the one that it goes into.
func (d *Driver) fits(g *graph, p *NodeParams) bool {
	switch p.Kind {
	case FreeNode:
		b := d.Holding(p.Addr)
		return b != nil && b.Start == p.Addr && b.graph && !g.frees(p.Addr)
	case ChildNode:
		child, ok := lookup[*graph](d, p.Handle)
		return p.Value == 0 || p.Value == ChildMoved && ok && !child.inside && !child.holds(g)
	}
	return true
}

// frees reports whether a node of the graph frees what begins at an address.
func (g *graph) frees(addr uint64) bool {
	return slices.ContainsFunc(g.nodes, func(n *node) bool {
		w, ok := n.work.(*freeWork)
		return ok && w.addr == addr
	})
}

// holds reports whether a graph is another, or has it inside.
func (g *graph) holds(other *graph) bool {
	return g == other || slices.ContainsFunc(g.nodes, func(n *node) bool {
		return slices.ContainsFunc(insideOf(n.work), func(in *graph) bool { return in.holds(other) })
	})
}

// allocates notes what a launch leaves allocated; false if that is still there from a launch before, and the graph does not free it
// itself then (CUDA Driver API, cuGraphLaunch).
func (d *Driver) allocates(x *exec) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	blocks := map[*Block]bool{} // by whether they are left
	for _, s := range x.steps {
		switch w := s.work.(type) {
		case *allocWork:
			b := d.memory.holding(w.addr)
			if b.left && x.flags&InstantiateAutoFree == 0 {
				return false
			}
			blocks[b] = true
		case *freeWork:
			if b := d.memory.holding(w.addr); b != nil {
				blocks[b] = false
			}
		}
	}
	for b, left := range blocks {
		b.left = left
	}
	return true
}

// freed notes that a call frees what a launch of a graph has left.
func (d *Driver) freed(b *Block) {
	d.mu.Lock()
	defer d.mu.Unlock()
	b.left = false
}

// allocForGraph allocates memory that belongs to graphs.
func (d *Driver) allocForGraph(dev *device, size uint64) (*allocWork, Code) {
	if size == 0 {
		return nil, InvalidValue
	}
	addr, code := d.allocate(dev, size, MemoryDevice)
	if code != Success {
		return nil, code
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.memory.holding(addr).graph = true
	dev.graphs.add(GraphMemoryReserved, size)
	return &allocWork{addr: addr, size: size, held: 1}, Success
}

// begin counts the allocation as used.
func (w *allocWork) begin(d *Driver) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if b := d.memory.holding(w.addr); b != nil && !b.used {
		b.used = true
		d.devices[b.Device].graphs.add(GraphMemoryUsed, w.size)
	}
}

// endUse is begin's opposite; what belongs to no graph has not begun.
func (d *Driver) endUse(b *Block) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if b.used {
		b.used = false
		d.devices[b.Device].graphs.add(GraphMemoryUsed, -b.Size)
	}
}

// end gives the memory back: no graph has the node.
func (w *allocWork) end(d *Driver) {
	b := d.Holding(w.addr)
	if b == nil {
		return
	}
	d.endUse(b)
	d.mu.Lock()
	d.devices[b.Device].graphs.add(GraphMemoryReserved, -w.size)
	d.mu.Unlock()
	d.releaseBlock(w.addr)
}
