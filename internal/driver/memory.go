package driver

// This file holds memory by address: allocations, copies, fills.

import (
	"cmp"
	"fmt"
	"slices"

	"ptxvm.invalid/ptxvm/internal/san/streams"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// MemoryKind is who an allocation is for.
type MemoryKind int32

// The kinds, with CUDA's numbers (cudaMemoryType).
const (
	MemoryNone    MemoryKind = 0
	MemoryPinned  MemoryKind = 1
	MemoryDevice  MemoryKind = 2
	MemoryManaged MemoryKind = 3
)

// Block is one allocation.
type Block struct {
	Start, Size uint64
	Device      int
	Kind        MemoryKind
	buffer      vm.Buffer
	graph       bool   // belongs to graphs, which release it
	used        bool   // of what graphs have: between its node and that which frees it
	left        bool   // the same by the order of calls: a launch has allocated it, and nothing frees it so far
	adopted     bool   // the program's own, which it has registered, or mapped
	mapped      bool   // virtual memory
	variable    bool   // of a module, which frees it
	device      uint64 // of what is adopted: the address of Start for kernels
	pool        uint64 // that it is of; 0: none
	flags       uint32 // of pinned memory, as the program gave them
	sync        bool   // SetSynchronous
}

// blocks are allocations by address.
type blocks struct{ list []*Block }

func (b *blocks) at(addr uint64) (int, bool) {
	return slices.BinarySearchFunc(b.list, addr, func(v *Block, a uint64) int { return cmp.Compare(v.Start, a) })
}

// holding returns the block around an address.
func (b *blocks) holding(addr uint64) *Block {
	i, exact := b.at(addr)
	if !exact {
		i--
	}
	if i < 0 || addr-b.list[i].Start >= b.list[i].Size {
		return nil
	}
	return b.list[i]
}

func (b *blocks) add(v *Block) {
	i, _ := b.at(v.Start)
	b.list = slices.Insert(b.list, i, v)
}

// take takes out the block that begins at an address, if it is one that fits; nil if there is none.
func (b *blocks) take(addr uint64, fits func(*Block) bool) *Block {
	i, ok := b.at(addr)
	if !ok || !fits(b.list[i]) {
		return nil
	}
	v := b.list[i]
	b.list = slices.Delete(b.list, i, i+1)
	return v
}

func anyBlock(*Block) bool { return true }

// Alloc makes an allocation. Size 0 gives address 0.
func (d *Driver) Alloc(dev int, size uint64, kind MemoryKind) (addr uint64, code Code) {
	defer d.defect(&code)
	v, code := d.outsideCaptures(dev)
	if code != Success || size == 0 {
		return 0, code
	}
	return d.allocate(v, size, kind)
}

// allocate is Alloc on a device that works.
func (d *Driver) allocate(v *device, size uint64, kind MemoryKind) (addr uint64, code Code) {
	if size > 1<<46 {
		return 0, OutOfMemory
	}
	alloc := v.vm.Alloc
	if kind != MemoryDevice {
		alloc = v.vm.AllocHost
	}
	buffer, err := alloc(int(size))
	if err != nil {
		code, _ = codeOf(err)
		return 0, code
	}
	b := &Block{Start: buffer.Addr(), Size: size, Device: v.number, Kind: kind, buffer: buffer}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.memory.add(b)
	return b.Start, Success
}

// Register lets kernels use memory of the program, at its address.
func (d *Driver) Register(dev int, addr, size uint64) (code Code) {
	defer d.defect(&code)
	v, code := d.outsideCaptures(dev)
	if code != Success {
		return code
	}
	if addr == 0 || size == 0 || size > 1<<46 {
		return InvalidValue
	}
	at, err := v.vm.Adopt(addr, int(size))
	if err != nil {
		code, _ = codeOf(err)
		return code
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.memory.add(&Block{Start: addr, Size: size, Device: dev, Kind: MemoryPinned, adopted: true, device: at})
	return Success
}

// DevicePointer is the address by which kernels reach memory of the program: the same, unless the program has
// registered it and what it may touch is guarded.
func (d *Driver) DevicePointer(addr uint64) (uint64, Code) {
	b := d.Holding(addr)
	switch {
	case b == nil:
		return 0, InvalidValue
	case b.adopted:
		return b.device + addr - b.Start, Success
	}
	return addr, Success
}

// HostView is where the host may read and write size bytes at an address, which lie in one allocation, whether it is guarded or not.
func (d *Driver) HostView(addr, size uint64) (at uint64, code Code) {
	defer d.defect(&code)
	b, code := d.inOne(addr, size)
	if code != Success {
		return 0, code
	}
	at, err := vm.HostAddr(b)
	if err != nil {
		return 0, InvalidValue
	}
	return at, Success
}

// HostWrote tells sanitizers that the host has written size bytes at an address by itself.
func (d *Driver) HostWrote(addr, size uint64) (code Code) {
	defer d.defect(&code)
	b, code := d.inOne(addr, size)
	if code == Success && vm.HostWrote(b) != nil {
		code = InvalidValue
	}
	return code
}

// inOne is the bytes at an address, which must lie in one allocation.
func (d *Driver) inOne(addr, size uint64) (vm.Buffer, Code) {
	b := d.Holding(addr)
	if b == nil || size > b.Start+b.Size-addr {
		return vm.Buffer{}, InvalidValue
	}
	if b.adopted {
		addr += b.device - b.Start
	}
	buffer, err := d.devices[b.Device].vm.At(addr, int(size))
	if err != nil {
		return vm.Buffer{}, InvalidValue
	}
	return buffer, Success
}

// hostMapped is the flag of pinned memory that kernels reach (cudaHostAllocMapped): all that there is.
const hostMapped = 2

// AllocHost is Alloc of pinned memory with flags (cudaHostAlloc).
func (d *Driver) AllocHost(dev int, size uint64, flags uint32) (addr uint64, code Code) {
	if addr, code = d.Alloc(dev, size, MemoryPinned); addr != 0 {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.memory.holding(addr).flags = flags
	}
	return addr, code
}

// HostFlags are those of the pinned memory around an address, with what it is besides. Registered memory has none.
func (d *Driver) HostFlags(addr uint64) (flags uint32, code Code) {
	b := d.Holding(addr)
	if b == nil || b.Kind != MemoryPinned || b.adopted {
		return 0, InvalidValue
	}
	return b.flags | hostMapped, d.Sticky()
}

// SetSynchronous notes that a program wants copies and fills of an allocation to be over when a call that is not …Async returns
// (CU_POINTER_ATTRIBUTE_SYNC_MEMOPS).
func (d *Driver) SetSynchronous(addr uint64, on bool) Code {
	d.mu.Lock()
	defer d.mu.Unlock()
	b := d.memory.holding(addr)
	if b == nil {
		return InvalidValue
	}
	b.sync = on
	return d.Sticky()
}

// Synchronous is what SetSynchronous was told.
func (d *Driver) Synchronous(addr uint64) bool {
	b := d.Holding(addr)
	return b != nil && b.sync
}

// Unregister ends what Register began, after all work.
func (d *Driver) Unregister(addr uint64) (code Code) {
	defer d.defect(&code)
	if code := d.unsafeInCapture(); code != Success {
		return code
	}
	for _, dev := range d.devices {
		dev.synchronize()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	b := d.memory.take(addr, func(b *Block) bool { return b.adopted && !b.mapped })
	if b == nil {
		return NotRegistered
	}
	if err := d.devices[b.Device].vm.Disown(b.device); err != nil {
		return NotRegistered
	}
	return d.Sticky()
}

// Free ends the allocation that starts at an address, after all work that may use it; 0 is none. pinned
// tells whether memory of the host is meant.
func (d *Driver) Free(addr uint64, pinned bool) (code Code) {
	defer d.defect(&code)
	if addr == 0 {
		return d.Sticky()
	}
	b := d.Holding(addr)
	if b == nil || b.Start != addr || (b.Kind == MemoryPinned) != pinned || b.adopted || b.variable {
		return InvalidValue
	}
	if code := d.unsafeInCapture(); code != Success {
		return code
	}
	for _, dev := range d.devices {
		dev.synchronize()
	}
	d.freed(b)
	return d.release(addr)
}

// release frees a block, unless graphs do.
func (d *Driver) release(addr uint64) Code {
	if b := d.Holding(addr); b != nil && b.graph {
		d.endUse(b)
		return d.Sticky()
	}
	return d.releaseBlock(addr)
}

func (d *Driver) releaseBlock(addr uint64) Code {
	d.mu.Lock()
	b := d.memory.take(addr, anyBlock)
	if b != nil {
		d.poolGive(b)
	}
	d.mu.Unlock()
	if b == nil {
		return InvalidValue
	}
	if note := d.devices[b.Device].vm.Unused(b.buffer, fmt.Sprintf("the allocation at %#x", b.Start)); note != nil {
		d.say(note.Detail())
	}
	d.races.Forget(b.Start, b.Start+b.Size) // who gets the memory next is behind
	if err := b.buffer.Free(); err != nil {
		code, _ := codeOf(err)
		return code
	}
	return d.Sticky()
}

// FreeIn is Free in the order of a stream.
func (d *Driver) FreeIn(dev int, stream, addr uint64) (code Code) {
	defer d.defect(&code)
	s, code := d.streamOf(dev, stream)
	if code != Success || addr == 0 {
		return code
	}
	b := d.Holding(addr)
	if b == nil || b.Start != addr || b.adopted || b.variable || s.capturing() && !b.graph {
		return InvalidValue
	}
	if !s.capturing() {
		d.freed(b)
	}
	return s.submit(&freeWork{addr})
}

// AllocIn is Alloc of device memory in the order of a stream: what is allocated early is there in time.
func (d *Driver) AllocIn(dev int, stream, size uint64) (addr uint64, code Code) {
	defer d.defect(&code)
	s, code := d.streamOf(dev, stream)
	if code != Success || size == 0 {
		return 0, code
	}
	if !s.capturing() {
		return d.allocate(s.dev, size, MemoryDevice)
	}
	w, code := d.allocForGraph(s.dev, size)
	if code != Success {
		return 0, code
	}
	return w.addr, s.submit(w)
}

// Holding returns the allocation around an address, nil if there is none.
func (d *Driver) Holding(addr uint64) *Block {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.memory.holding(addr)
}

// MemoryInfo tells the bytes that are free, and all.
func (d *Driver) MemoryInfo(dev int) (free, total uint64, code Code) {
	v, code := d.device(dev)
	if code != Success {
		return 0, 0, code
	}
	used, total := v.vm.Memory()
	used += v.physical.Load()
	return total - min(used, total), total, Success
}

// CopyKind is a direction, with CUDA's numbers (cudaMemcpyKind).
type CopyKind int32

// The directions.
const (
	HostToHost     CopyKind = 0
	HostToDevice   CopyKind = 1
	DeviceToHost   CopyKind = 2
	DeviceToDevice CopyKind = 3
	CopyDefault    CopyKind = 4
)

// Box is what a copy or fill covers: Depth slices of Height rows of Width bytes.
type Box struct{ Width, Height, Depth uint64 }

// Place is where a box begins and how far its rows and slices lie apart.
type Place struct{ Addr, Pitch, Slice uint64 }

// span is the bytes from a place's first to its last of a box.
func (p Place) span(b Box) uint64 {
	return (b.Depth-1)*p.Slice + (b.Height-1)*p.Pitch + b.Width
}

func (p Place) row(y, z uint64) uint64 { return p.Addr + z*p.Slice + y*p.Pitch }

// side is one end of a copy.
type side struct {
	device bool // in device memory
	Place
}

// Copy copies a box in a stream's order. Both ends are checked before a byte moves. It returns when calls of that kind do.
func (d *Driver) Copy(dev int, stream uint64, to, from Place, box Box, kind CopyKind, call CallKind) (code Code) {
	defer d.defect(&code)
	s, code := d.streamOf(dev, stream)
	if code != Success {
		return code
	}
	if kind < HostToHost || kind > CopyDefault {
		return InvalidDirection
	}
	w, code := d.copying(to, from, box, kind)
	if code != Success || w.box.empty() {
		return code
	}
	return s.run(w, call, waits(call, d.memoryOf(w.src), d.memoryOf(w.dst)))
}

// copyWork is a copy whose ends have been checked.
type copyWork struct {
	dst, src side
	box      Box
	kind     CopyKind
}

func (w *copyWork) do(dev *device, at *streams.Work) {
	if dev.d.Sticky() == Success && !w.box.empty() {
		dev.d.move(dev, w.dst, w.src, w.box)
		dev.copied(at, w.dst.ranges(w.box, true), w.src.ranges(w.box, false))
	}
}

func (b Box) empty() bool { return b.Width == 0 || b.Height == 0 || b.Depth == 0 }

// copying checks a copy.
func (d *Driver) copying(to, from Place, box Box, kind CopyKind) (w *copyWork, code Code) {
	w = &copyWork{box: box, kind: kind, dst: side{Place: to}, src: side{Place: from}}
	if box.empty() {
		return w, Success
	}
	if w.dst, code = d.side(to, box, kind == HostToDevice || kind == DeviceToDevice, kind); code != Success {
		return w, code
	}
	w.src, code = d.side(from, box, kind == DeviceToHost || kind == DeviceToDevice, kind)
	return w, code
}

// side checks one end of a copy: what the direction calls device memory must be an allocation, and what is in
// one must lie in it whole.
func (d *Driver) side(p Place, box Box, device bool, kind CopyKind) (side, Code) {
	if box.Height > 1 && p.Pitch < box.Width || box.Depth > 1 && p.Slice < (box.Height-1)*p.Pitch+box.Width {
		return side{}, InvalidPitch
	}
	n := p.span(box)
	if n > 1<<46 || p.Addr == 0 {
		return side{}, InvalidValue
	}
	if _, err := d.devices[0].vm.At(p.Addr, int(n)); err == nil {
		return side{true, p}, Success
	}
	if b := d.Holding(p.Addr); device && (b == nil || !b.adopted) || b != nil && n > b.Start+b.Size-p.Addr {
		return side{}, InvalidValue
	}
	return side{false, p}, Success
}

// move copies the rows of a box.
func (d *Driver) move(dev *device, dst, src side, box Box) {
	if box.Depth == 1 && (box.Height == 1 || dst.Pitch == box.Width && src.Pitch == box.Width) {
		box.Width *= box.Height
		box.Height = 1
	}
	for z := range box.Depth {
		for y := range box.Height {
			err := dev.moveRow(dst.row(y, z), src.row(y, z), box.Width, dst.device, src.device)
			if err != nil {
				d.gone(err)
				return
			}
		}
	}
}

// gone is what copies and fills say of memory that was freed since they were enqueued.
func (d *Driver) gone(err error) {
	d.stick(IllegalAddress, func() {
		text := fmt.Sprintf("a copy or fill in a stream uses memory that has been freed: %v", err)
		d.say(text)
		d.reports.write(IllegalAddress, text, err)
	})
}

func (dev *device) moveRow(dst, src, n uint64, toDevice, fromDevice bool) error {
	switch {
	case toDevice && fromDevice:
		from, err := dev.vm.At(src, int(n))
		if err != nil {
			return err
		}
		to, err := dev.vm.At(dst, int(n))
		if err == nil {
			_, err = to.CopyFrom(from)
		}
		return err
	case toDevice:
		b, err := dev.vm.At(dst, int(n))
		if err == nil {
			_, err = b.WriteAt(hostBytes(src, n), 0)
		}
		return err
	case fromDevice:
		b, err := dev.vm.At(src, int(n))
		if err == nil {
			_, err = b.ReadAt(hostBytes(dst, n), 0)
		}
		return err
	}
	copy(hostBytes(dst, n), hostBytes(src, n))
	return nil
}

// Fill sets a box to a value of 1, 2 or 4 bytes in a stream's order; the width counts bytes. It returns when calls of that kind do.
func (d *Driver) Fill(dev int, stream uint64, to Place, value uint32, size uint64, box Box, call CallKind) (code Code) {
	defer d.defect(&code)
	s, code := d.streamOf(dev, stream)
	if code != Success {
		return code
	}
	w, code := d.filling(to, value, size, box)
	if code != Success || box.empty() {
		return code
	}
	return s.run(w, call, waits(call, nowhere, d.memoryOf(w.dst)))
}

// fillWork is a fill whose place has been checked.
type fillWork struct {
	dst   side
	value uint32
	size  uint64 // of an element
	box   Box
}

func (w *fillWork) do(dev *device, at *streams.Work) {
	if dev.d.Sticky() == Success && !w.box.empty() {
		dev.d.fill(dev, w.dst, w.value, w.size, w.box)
		dev.copied(at, w.dst.ranges(w.box, true))
	}
}

// filling checks a fill.
func (d *Driver) filling(to Place, value uint32, size uint64, box Box) (w *fillWork, code Code) {
	w = &fillWork{dst: side{Place: to}, value: value, size: size, box: box}
	if size != 1 && size != 2 && size != 4 {
		return w, InvalidValue
	}
	if box.empty() {
		return w, Success
	}
	if to.Addr%size != 0 || size > 1 && box.Width%size != 0 {
		return w, InvalidValue
	}
	w.dst, code = d.side(to, box, true, HostToDevice)
	return w, code
}

// fillChunk is the bytes of a fill that are written at a time.
const fillChunk = 64 << 10

func (d *Driver) fill(dev *device, dst side, value uint32, size uint64, box Box) {
	if box.Depth == 1 && dst.Pitch == box.Width {
		box.Width *= box.Height
		box.Height = 1
	}
	chunk := make([]byte, min(fillChunk, box.Width))
	for i := range chunk {
		chunk[i] = byte(value >> (8 * (uint64(i) % size)))
	}
	for z := range box.Depth {
		for y := range box.Height {
			b, err := dev.vm.At(dst.row(y, z), int(box.Width))
			if err != nil {
				d.gone(err)
				return
			}
			for off := uint64(0); off < box.Width; off += uint64(len(chunk)) {
				_, _ = b.WriteAt(chunk[:min(uint64(len(chunk)), box.Width-off)], int64(off))
			}
		}
	}
}
