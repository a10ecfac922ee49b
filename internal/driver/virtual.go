package driver

// This file holds virtual memory as the driver API manages it (CUDA Driver API, "Virtual Memory Management"): ranges of
// addresses are reserved, memory without an address is made, mapped into ranges, and let in.

import (
	"cmp"
	"slices"
	"sync"
)

// Granularity is what sizes and addresses of virtual memory are multiples of: what hardware maps at a time.
const Granularity = 2 << 20

// virtual is the reservations of a driver, in the order of their addresses.
type virtual struct {
	mu     sync.Mutex
	ranges []*addressRange
}

// addressRange is a reservation.
type addressRange struct {
	start, size uint64 // as kernels and the program know it
	memory      hostRange
	parts       []*mapping // in the order of addresses; they do not overlap
	shown       []*Block   // what kernels may access: parts with access, those that touch as one
}

// mapping is memory in its place.
type mapping struct {
	start, size uint64
	of          *physical
	access      bool
}

// physical is memory that was made without an address. It lives as long as it has a handle or a place. The reservations' lock
// guards it.
type physical struct {
	file    sharedFile
	size    uint64
	device  int
	handle  uint64
	handles int // how often it is held: once, and by each retaining
	places  int
}

func granular(list ...uint64) bool {
	for _, n := range list {
		if n%Granularity != 0 {
			return false
		}
	}
	return true
}

// AddressReserve reserves addresses; nothing may be accessed there. alignment is a power of two, or 0.
func (d *Driver) AddressReserve(size, alignment uint64) (addr uint64, code Code) {
	defer d.defect(&code)
	v, code := d.device(0)
	if code != Success {
		return 0, code
	}
	if size == 0 || !granular(size) || alignment&(alignment-1) != 0 {
		return 0, InvalidValue
	}
	alignment = max(alignment, Granularity)
	if size > 1<<46 || alignment > 1<<46 {
		return 0, OutOfMemory
	}
	memory, err := reserveHost(size + alignment)
	if err != nil {
		return 0, OutOfMemory
	}
	first, err := v.vm.Adopt(memory.base, hostPage) // to see where the device has it
	if err == nil {
		err = v.vm.Disown(first)
	}
	if err != nil {
		memory.release()
		return 0, OutOfMemory
	}
	r := &addressRange{start: (first + alignment - 1) &^ (alignment - 1), size: size, memory: memory}
	r.memory.shift = memory.base - first
	d.virtual.mu.Lock()
	defer d.virtual.mu.Unlock()
	d.virtual.ranges = append(d.virtual.ranges, r)
	return r.start, Success
}

// hostPage is the least that the system maps.
const hostPage = 4096

// AddressFree ends a reservation in which nothing is mapped.
func (d *Driver) AddressFree(addr, size uint64) (code Code) {
	defer d.defect(&code)
	d.virtual.mu.Lock()
	defer d.virtual.mu.Unlock()
	i := slices.IndexFunc(d.virtual.ranges, func(r *addressRange) bool { return r.start == addr && r.size == size && len(r.parts) == 0 })
	if i < 0 {
		return InvalidValue
	}
	d.virtual.ranges[i].memory.release()
	d.virtual.ranges = slices.Delete(d.virtual.ranges, i, i+1)
	return d.Sticky()
}

// PhysicalCreate makes memory of a device.
func (d *Driver) PhysicalCreate(dev int, size uint64) (h uint64, code Code) {
	defer d.defect(&code)
	if _, code := d.device(dev); code != Success {
		return 0, code
	}
	if size == 0 || !granular(size) {
		return 0, InvalidValue
	}
	free, _, code := d.MemoryInfo(dev)
	if code != Success {
		return 0, code
	}
	if size > free {
		return 0, OutOfMemory
	}
	file, err := newSharedFile(size)
	if err != nil {
		return 0, OutOfMemory
	}
	p := &physical{file: file, size: size, device: dev, handles: 1}
	p.handle = d.register(p)
	d.devices[dev].physical.Add(size)
	return p.handle, Success
}

// PhysicalRelease gives a handle up, once.
func (d *Driver) PhysicalRelease(h uint64) (code Code) {
	defer d.defect(&code)
	d.virtual.mu.Lock()
	defer d.virtual.mu.Unlock()
	p, ok := lookup[*physical](d, h)
	if !ok {
		return InvalidValue
	}
	if p.handles--; p.handles == 0 {
		forget[*physical](d, h)
	}
	d.leave(p)
	return d.Sticky()
}

// leave ends memory without a handle and a place.
func (d *Driver) leave(p *physical) {
	if p.handles == 0 && p.places == 0 {
		p.file.close()
		d.devices[p.device].physical.Add(-p.size)
	}
}

// PhysicalRetain returns a handle of the memory that is mapped at an address, once more.
func (d *Driver) PhysicalRetain(addr uint64) (h uint64, code Code) {
	d.virtual.mu.Lock()
	defer d.virtual.mu.Unlock()
	if m := d.virtual.mappingAt(addr); m != nil {
		if m.of.handles++; m.of.handles == 1 {
			m.of.handle = d.register(m.of)
		}
		return m.of.handle, Success
	}
	return 0, InvalidValue
}

// PhysicalDevice is the device whose memory it is.
func (d *Driver) PhysicalDevice(h uint64) (int, Code) {
	p, ok := lookup[*physical](d, h)
	if !ok {
		return 0, InvalidValue
	}
	return p.device, Success
}

// around returns the reservation that holds a range.
func (v *virtual) around(addr, size uint64) *addressRange {
	for _, r := range v.ranges {
		if addr-r.start < r.size && size <= r.size-(addr-r.start) {
			return r
		}
	}
	return nil
}

// mappingAt returns what is mapped at an address, nil if nothing is.
func (v *virtual) mappingAt(addr uint64) *mapping {
	for _, r := range v.ranges {
		for _, m := range r.parts {
			if addr-m.start < m.size {
				return m
			}
		}
	}
	return nil
}

// Map puts memory into its place. It may not be accessed there until AccessSet.
func (d *Driver) Map(addr, size, h uint64) (code Code) {
	defer d.defect(&code)
	d.virtual.mu.Lock()
	defer d.virtual.mu.Unlock()
	p, ok := lookup[*physical](d, h)
	r := d.virtual.around(addr, size)
	switch {
	case !ok || r == nil || size == 0 || !granular(addr, size) || size > p.size:
		return InvalidValue
	case slices.ContainsFunc(r.parts, func(m *mapping) bool { return addr < m.start+m.size && m.start < addr+size }):
		return InvalidValue
	}
	if err := r.memory.mapFile(addr, size, p.file); err != nil {
		return OutOfMemory
	}
	p.places++
	r.parts = append(r.parts, &mapping{start: addr, size: size, of: p})
	slices.SortFunc(r.parts, func(a, b *mapping) int { return cmp.Compare(a.start, b.start) })
	return d.Sticky()
}

// whole returns the mappings that make up a range, whole and without a gap; nil if there are none such.
func (r *addressRange) whole(addr, size uint64) (list []*mapping) {
	next := addr
	for _, m := range r.parts {
		if m.start == next && next < addr+size {
			list, next = append(list, m), next+m.size
		}
	}
	if next != addr+size {
		return nil
	}
	return list
}

// mapped is the reservation around a range and the mappings that are all of it; nil if these do not fill it.
func (v *virtual) mapped(addr, size uint64) (*addressRange, []*mapping) {
	r := v.around(addr, size)
	if r == nil {
		return nil, nil
	}
	return r, r.whole(addr, size)
}

// Unmap takes what is mapped in a range out of it, after all work.
func (d *Driver) Unmap(addr, size uint64) (code Code) {
	defer d.defect(&code)
	d.virtual.mu.Lock()
	defer d.virtual.mu.Unlock()
	r, gone := d.virtual.mapped(addr, size)
	if gone == nil {
		return InvalidValue
	}
	r.parts = slices.DeleteFunc(r.parts, func(m *mapping) bool { return slices.Contains(gone, m) })
	if code := d.show(r); code != Success {
		return code
	}
	if err := r.memory.hide(addr, size); err != nil {
		return Unknown
	}
	for _, m := range gone {
		m.of.places--
		d.leave(m.of)
	}
	return d.Sticky()
}

// AccessSet lets the devices, which share their addresses, access what is mapped in a range, or no longer.
func (d *Driver) AccessSet(addr, size uint64, on bool) (code Code) {
	defer d.defect(&code)
	d.virtual.mu.Lock()
	defer d.virtual.mu.Unlock()
	r, list := d.virtual.mapped(addr, size)
	if list == nil {
		return InvalidValue
	}
	for _, m := range list {
		m.access = on
	}
	if code := d.show(r); code != Success {
		return code
	}
	return d.Sticky()
}

// AccessGet tells whether devices may access what is mapped at an address.
func (d *Driver) AccessGet(addr uint64) (on bool, code Code) {
	d.virtual.mu.Lock()
	defer d.virtual.mu.Unlock()
	if m := d.virtual.mappingAt(addr); m != nil {
		return m.access, Success
	}
	return false, InvalidValue
}

// show makes allocations of what kernels may access in a reservation. Those that change do so after all work.
func (d *Driver) show(r *addressRange) Code {
	want := r.accessible()
	for _, dev := range d.devices {
		dev.synchronize()
	}
	same := func(list []*Block, b *Block) bool {
		return slices.ContainsFunc(list, func(o *Block) bool { return o.Start == b.Start && o.Size == b.Size })
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	r.shown = slices.DeleteFunc(r.shown, func(b *Block) bool {
		if same(want, b) {
			return false
		}
		d.memory.take(b.Start, anyBlock)
		_ = d.devices[b.Device].vm.Disown(b.Start) // it was adopted below
		return true
	})
	for _, b := range want {
		if same(r.shown, b) {
			continue
		}
		if at, err := d.devices[b.Device].vm.Adopt(b.Start+r.memory.shift, int(b.Size)); err != nil || at != b.Start {
			return Unknown
		}
		d.memory.add(b)
		r.shown = append(r.shown, b)
	}
	return Success
}

// accessible lists what of a reservation may be accessed. A block is of the device of its first part.
func (r *addressRange) accessible() (list []*Block) {
	for _, m := range r.parts {
		switch last := len(list) - 1; {
		case !m.access:
		case last >= 0 && list[last].Start+list[last].Size == m.start:
			list[last].Size += m.size
		default:
			list = append(list, &Block{Start: m.start, Size: m.size, Device: m.of.device, Kind: MemoryDevice, adopted: true, mapped: true, device: m.start})
		}
	}
	return list
}
