package driver

// This file holds the end of all that a device has.

// Reset ends a device's streams, events, arrays, objects and allocations after all work, as cudaDeviceReset does. Modules stay and
// are loaded anew when they are next used, with the first values of their variables; so do graphs and their memory, memory that
// is mapped, and default streams, the threads' own among them. A sticky error stays, too.
func (d *Driver) Reset(dev int) (code Code) {
	defer d.defect(&code)
	v, code := d.outsideCaptures(dev)
	if code != Success {
		return code
	}
	v.synchronize()
	d.endObjects(v)
	streams, events, arrays, modules := d.of(v)
	for _, h := range streams {
		d.StreamDestroy(h)
	}
	for _, h := range events {
		d.EventDestroy(h)
	}
	for _, h := range arrays {
		d.ArrayDestroy(h)
	}
	for _, m := range modules {
		m.leave(v)
	}
	d.endMemory(v)
	return d.Sticky()
}

// of lists what a device has.
func (d *Driver) of(v *device) (streams, events, arrays []uint64, modules []*module) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	for h, what := range d.handles {
		switch what := what.(type) {
		case *stream:
			if what.dev == v && !what.lasting {
				streams = append(streams, h)
			}
		case *event:
			if what.dev == v {
				events = append(events, h)
			}
		case *array:
			if what.dev == v && what.whole == nil {
				arrays = append(arrays, h)
			}
		case *module:
			modules = append(modules, what)
		}
	}
	return streams, events, arrays, modules
}

// endObjects ends a device's texture and surface objects, before the arrays that they show.
func (d *Driver) endObjects(v *device) {
	d.objects.Range(func(h, what any) bool {
		switch what := what.(type) {
		case *texture:
			if what.dev == v {
				d.TextureDestroy(h.(uint64))
			}
		case *surface:
			if a, ok := lookup[*array](d, what.array); ok && a.dev == v {
				d.objects.Delete(h)
			}
		}
		return true
	})
}

// endMemory frees a device's allocations, and gives back what the program has registered of its own.
func (d *Driver) endMemory(v *device) {
	var own, adopted []uint64
	d.mu.RLock()
	for _, b := range d.memory.list {
		switch {
		case b.Device != v.number || b.mapped || b.graph || b.variable:
		case b.adopted:
			adopted = append(adopted, b.Start)
		default:
			own = append(own, b.Start)
		}
	}
	d.mu.RUnlock()
	for _, addr := range adopted {
		d.Unregister(addr)
	}
	for _, addr := range own {
		d.releaseBlock(addr)
	}
}

// leave unloads the module from a device, which loads it anew when it is next used there.
func (m *module) leave(v *device) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.on[v.number]
	if p == nil {
		return
	}
	m.on[v.number] = nil
	for _, h := range m.found {
		if f, ok := lookup[*function](m.d, h); ok {
			f.on[v.number].Store(nil)
		}
	}
	m.end(p)
}
