package driver

// This file holds user objects: what a program wants to live as long as graphs that use it (CUDA Programming Guide, "CUDA User
// Objects").

import "math"

// Flags of user objects and of their references. The first one is demanded: nothing waits for the function that destroys an
// object.
const (
	UserObjectNoDestructorSync = 1
	UserObjectMove             = 1 // the program's references become the graph's
)

// userObject is guarded by Driver.graphs.
type userObject struct {
	self         uint64
	destroy, ptr uint64 // the function of the program that ends it, and its argument
	own, held    uint64 // references of the program and of graphs
}

// UserObjectCreate makes an object that the program has some references of.
func (d *Driver) UserObjectCreate(ptr, destroy uint64, refs, flags uint32) (h uint64, code Code) {
	if code := d.Sticky(); code != Success {
		return 0, code
	}
	if destroy == 0 || !isCount(refs) || flags != UserObjectNoDestructorSync {
		return 0, InvalidValue
	}
	d.graphs.Lock()
	defer d.graphs.Unlock()
	o := &userObject{destroy: destroy, ptr: ptr, own: uint64(refs)}
	o.self = d.register(o)
	return o.self, Success
}

// isCount reports whether a number of references is one.
func isCount(n uint32) bool { return n != 0 && n <= math.MaxInt32 }

// UserObjectRetain gives the program more references.
func (d *Driver) UserObjectRetain(h uint64, refs uint32) Code {
	d.graphs.Lock()
	defer d.graphs.Unlock()
	o, ok := lookup[*userObject](d, h)
	if !ok || !isCount(refs) {
		return InvalidValue
	}
	o.own += uint64(refs)
	return Success
}

// UserObjectRelease takes references from the program.
func (d *Driver) UserObjectRelease(h uint64, refs uint32) Code {
	d.graphs.Lock()
	defer d.graphs.Unlock()
	o, ok := lookup[*userObject](d, h)
	if !ok || !isCount(refs) || uint64(refs) > o.own {
		return InvalidValue
	}
	o.own -= uint64(refs)
	d.endObject(o)
	return Success
}

// GraphRetain gives a graph references: new ones, or those of the program.
func (d *Driver) GraphRetain(graphHandle, object uint64, refs, flags uint32) Code {
	d.graphs.Lock()
	defer d.graphs.Unlock()
	g, okG := lookup[*graph](d, graphHandle)
	o, ok := lookup[*userObject](d, object)
	move := flags&UserObjectMove != 0
	if !okG || !ok || !isCount(refs) || flags > UserObjectMove || move && uint64(refs) > o.own {
		return InvalidValue
	}
	if move {
		o.own -= uint64(refs)
	}
	g.hold(o, uint64(refs))
	return Success
}

// GraphRelease takes references from a graph.
func (d *Driver) GraphRelease(graphHandle, object uint64, refs uint32) Code {
	d.graphs.Lock()
	defer d.graphs.Unlock()
	g, okG := lookup[*graph](d, graphHandle)
	o, ok := lookup[*userObject](d, object)
	if !okG || !ok || !isCount(refs) || uint64(refs) > g.objects[o] {
		return InvalidValue
	}
	if g.objects[o] -= uint64(refs); g.objects[o] == 0 {
		delete(g.objects, o)
	}
	o.held -= uint64(refs)
	d.endObject(o)
	return Success
}

// hold adds references of a graph.
func (g *graph) hold(o *userObject, refs uint64) {
	if g.objects == nil {
		g.objects = map[*userObject]uint64{}
	}
	g.objects[o] += refs
	o.held += refs
}

// dropObjects ends all references of a graph.
func (d *Driver) dropObjects(g *graph) {
	for o, n := range g.objects {
		o.held -= n
		d.endObject(o)
	}
	g.objects = nil
}

// endObject ends an object without references. The program's function runs beside the call: it may take a lock that the
// caller has.
func (d *Driver) endObject(o *userObject) {
	if o.own+o.held != 0 {
		return
	}
	forget[*userObject](d, o.self)
	go func() {
		var code Code
		defer d.defect(&code)
		d.host.Call(o.destroy, o.ptr)
	}()
}
