package machine

// This file holds the images of a device: what handles name. A handle is an address in a window
// of its own, whether a launch passes it or a kernel takes the address of a .surfref variable
// (5.3); nothing lies there in memory.

import (
	"sync"
	"sync/atomic"

	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/tex"
)

// Image is an image in device memory. It is never written once handles name it.
type Image struct {
	tex.Image
	Name string
	Base uint64 // address of its first byte
}

// images gives handles out. Numbers are never used again, so a handle of what is gone stays wrong.
type images struct {
	mu    sync.Mutex
	slots atomic.Pointer[[]*imageSlot]
}

// imageSlot is what one handle means.
type imageSlot struct {
	name  string
	image atomic.Pointer[Image] // nil: a reference that nothing is bound to, or gone
	gone  atomic.Bool
}

// AddHandles makes n handles in a row for one name and returns the first. They name no image yet.
func (d *Device) AddHandles(name string, n int) uint64 {
	d.images.mu.Lock()
	defer d.images.mu.Unlock()
	old := d.images.all()
	list := old // readers hold shorter lists of the same memory
	for range n {
		list = append(list, &imageSlot{name: name})
	}
	d.images.slots.Store(&list)
	return mem.ImageWindow + uint64(len(old))*mem.ImageStep
}

// SetImage lets a handle name an image; nil: none.
func (d *Device) SetImage(handle uint64, im *Image) {
	if s := d.images.slot(handle); s != nil {
		s.image.Store(im)
	}
}

// ImageOf returns the image that a handle names, nil if none.
func (d *Device) ImageOf(handle uint64) *Image {
	if s := d.images.slot(handle); s != nil {
		return s.image.Load()
	}
	return nil
}

// DropHandles ends n handles in a row.
func (d *Device) DropHandles(handle uint64, n int) {
	for i := range uint64(n) {
		if s := d.images.slot(handle + i*mem.ImageStep); s != nil {
			s.gone.Store(true)
			s.image.Store(nil)
		}
	}
}

func (t *images) all() []*imageSlot {
	if p := t.slots.Load(); p != nil {
		return *p
	}
	return nil
}

// slot returns what a handle means, nil if it is none.
func (t *images) slot(handle uint64) *imageSlot {
	at, list := handle-mem.ImageWindow, t.all()
	if at%mem.ImageStep != 0 || at/mem.ImageStep >= uint64(len(list)) {
		return nil
	}
	return list[at/mem.ImageStep]
}

// Image returns the image that a handle names; without one it says why.
func (w *Warp) Image(handle uint64) (im *Image, why string) {
	s := w.wk.images.slot(handle)
	if s == nil {
		return nil, "it is no handle"
	}
	if im = s.image.Load(); im != nil {
		return im, ""
	}
	if s.gone.Load() {
		return nil, s.name + " has been freed"
	}
	return nil, "no surface is bound to the reference " + s.name
}
