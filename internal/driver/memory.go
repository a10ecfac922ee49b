package driver

// This file holds memory by address: allocations, copies, fills.

import (
	"cmp"
	"slices"

	"ptxvm.invalid/ptxvm"
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
	buffer      ptxvm.Buffer
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

// Alloc makes an allocation. Size 0 gives address 0.
func (d *Driver) Alloc(dev int, size uint64, kind MemoryKind) (addr uint64, code Code) {
	defer d.defect(&code)
	v, code := d.device(dev)
	if code != Success || size == 0 {
		return 0, code
	}
	if size > 1<<46 {
		return 0, OutOfMemory
	}
	buffer, err := v.vm.Alloc(int(size))
	if err != nil {
		code, _ = codeOf(err)
		return 0, code
	}
	b := &Block{Start: buffer.Addr(), Size: size, Device: dev, Kind: kind, buffer: buffer}
	d.mu.Lock()
	defer d.mu.Unlock()
	i, _ := d.memory.at(b.Start)
	d.memory.list = slices.Insert(d.memory.list, i, b)
	return b.Start, Success
}

// Free ends the allocation that starts at an address, after all work that may use it; 0 is none. pinned
// tells whether memory of the host is meant.
func (d *Driver) Free(addr uint64, pinned bool) (code Code) {
	defer d.defect(&code)
	if addr == 0 {
		return d.Sticky()
	}
	b := d.Holding(addr)
	if b == nil || b.Start != addr || (b.Kind == MemoryPinned) != pinned {
		return InvalidValue
	}
	for _, dev := range d.devices {
		dev.synchronize()
	}
	return d.release(addr)
}

// release frees a block.
func (d *Driver) release(addr uint64) Code {
	d.mu.Lock()
	i, ok := d.memory.at(addr)
	if !ok {
		d.mu.Unlock()
		return InvalidValue
	}
	b := d.memory.list[i]
	d.memory.list = slices.Delete(d.memory.list, i, i+1)
	d.mu.Unlock()
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
	if b := d.Holding(addr); b == nil || b.Start != addr {
		return InvalidValue
	}
	s.enqueue(func() { d.release(addr) })
	return Success
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

// Copy copies a box in a stream's order. Both ends are checked before a byte moves. block: return when it
// has happened.
func (d *Driver) Copy(dev int, stream uint64, to, from Place, box Box, kind CopyKind, block bool) (code Code) {
	defer d.defect(&code)
	s, code := d.streamOf(dev, stream)
	if code != Success {
		return code
	}
	if kind < HostToHost || kind > CopyDefault {
		return InvalidDirection
	}
	if box.Width == 0 || box.Height == 0 || box.Depth == 0 {
		return Success
	}
	dst, code := d.side(to, box, kind == HostToDevice || kind == DeviceToDevice, kind)
	if code != Success {
		return code
	}
	src, code := d.side(from, box, kind == DeviceToHost || kind == DeviceToDevice, kind)
	if code != Success {
		return code
	}
	run := func() {
		if d.Sticky() == Success {
			d.move(s.dev, dst, src, box)
		}
	}
	// What comes from pageable memory of the host is read before the call returns, so that the program may write
	// it at once.
	if block || !src.device || !dst.device {
		s.now(run)
		d.flush()
		return d.Sticky()
	}
	s.enqueue(run)
	return Success
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
	_, err := d.devices[0].vm.At(p.Addr, int(n))
	switch {
	case err == nil:
		return side{true, p}, Success
	case device || d.Holding(p.Addr) != nil:
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
			d.moveRow(dev, dst.row(y, z), src.row(y, z), box.Width, dst.device, src.device)
		}
	}
}

func (d *Driver) moveRow(dev *device, dst, src, n uint64, toDevice, fromDevice bool) {
	switch {
	case toDevice:
		if b, err := dev.vm.At(dst, int(n)); err == nil {
			_, _ = b.WriteAt(hostBytes(src, n), 0) // freed since: nothing to write
		}
	case fromDevice:
		if b, err := dev.vm.At(src, int(n)); err == nil {
			_, _ = b.ReadAt(hostBytes(dst, n), 0)
		}
	default:
		copy(hostBytes(dst, n), hostBytes(src, n))
	}
}

// Fill sets a box to a value of 1, 2 or 4 bytes in a stream's order; the width counts bytes.
func (d *Driver) Fill(dev int, stream uint64, to Place, value uint32, size uint64, box Box, block bool) (code Code) {
	defer d.defect(&code)
	s, code := d.streamOf(dev, stream)
	if code != Success {
		return code
	}
	if box.Width == 0 || box.Height == 0 || box.Depth == 0 {
		return Success
	}
	dst, code := d.side(to, box, true, HostToDevice)
	if code != Success {
		return code
	}
	if dst.Addr%size != 0 || size > 1 && box.Width%size != 0 {
		return InvalidValue
	}
	run := func() {
		if d.Sticky() == Success {
			d.fill(s.dev, dst, value, size, box)
		}
	}
	if block {
		s.now(run)
		d.flush()
		return d.Sticky()
	}
	s.enqueue(run)
	return Success
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
				return
			}
			for off := uint64(0); off < box.Width; off += uint64(len(chunk)) {
				_, _ = b.WriteAt(chunk[:min(uint64(len(chunk)), box.Width-off)], int64(off))
			}
		}
	}
}
