// Package images is what handles name on a device: surfaces, textures and samplers. A handle is an address in a window
// of its own, whether a launch passes it or a kernel takes the address of a .surfref,
// .texref or .samplerref variable (5.3); nothing lies there in memory.
package images

import (
	"fmt"
	"slices"
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

// Texture is an image as texture instructions read it, or a sampler alone, which has no levels. It is
// never written once handles name it.
type Texture struct {
	tex.Texture
	Name string
	Gone func() bool // its memory has been freed; nil: it has none
}

// HandleKind is the type of reference that a handle stands for (5.3).
type HandleKind uint8

// The kinds.
const (
	SurfaceHandle HandleKind = iota
	TextureHandle
	SamplerHandle
)

var handleKinds = []string{"surface", "texture", "sampler"}

func (k HandleKind) String() string { return handleKinds[k] }

// ParseHandleKind reads what String writes.
func ParseHandleKind(text string) (HandleKind, error) {
	i := slices.Index(handleKinds, text)
	if i < 0 {
		return 0, fmt.Errorf("%q is no handle", text)
	}
	return HandleKind(i), nil
}

// Images are the handles of a device; the zero value has none. A slot whose handle has ended is used again once as many as
// quarantine others have ended after it: until then a handle of what is gone stays wrong.
type Table struct {
	mu    sync.Mutex
	slots atomic.Pointer[[]*imageSlot]
	ended []uint64
}

const quarantine = 4096

// imageSlot is what one handle means now; what it points to is never written.
type imageSlot struct{ atomic.Pointer[binding] }

type binding struct {
	name    string
	kind    HandleKind
	image   *Image   // nil: a reference that nothing is bound to, or gone
	texture *Texture // the same of textures and samplers
	gone    bool
}

// Handle is a handle and what it means.
type Handle struct {
	Number  uint64
	Kind    HandleKind
	Name    string
	Image   *Image
	Texture *Texture
	Ended   bool // it means nothing any more
}

// Handles lists all handles that have been given out, in ascending order.
func (t *Table) Handles() (list []Handle) {
	for i, s := range t.all() {
		b := s.Load()
		list = append(list, Handle{mem.ImageWindow + uint64(i)*mem.ImageStep, b.kind, b.name, b.image, b.texture, b.gone})
	}
	return list
}

// MaxRestored bounds the handles that Restore makes.
const MaxRestored = 1 << 18

// Restore gives out handles that a device had, in ascending order, and lets them mean what they meant; this one has given
// out none. Numbers between them have ended.
func (t *Table) Restore(handles []Handle) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var list []*imageSlot
	for _, h := range handles {
		at := (h.Number - mem.ImageWindow) / mem.ImageStep
		if h.Number%mem.ImageStep != 0 || at >= MaxRestored || at < uint64(len(list)) || h.Kind > SamplerHandle {
			return fmt.Errorf("%#x is no handle that a device gives out next", h.Number)
		}
		for uint64(len(list)) < at {
			s := new(imageSlot)
			s.Store(&binding{name: "what was there", gone: true})
			list = append(list, s)
		}
		s := new(imageSlot)
		s.Store(&binding{h.Name, h.Kind, h.Image, h.Texture, h.Ended})
		list = append(list, s)
	}
	t.slots.Store(&list)
	return nil
}

// Names reports whether n handles in a row, from one on, are of a kind.
func (t *Table) Names(handle uint64, kind HandleKind, n int) bool {
	for i := range uint64(n) {
		if s := t.slot(handle + i*mem.ImageStep); s == nil || s.Load().kind != kind || s.Load().gone {
			return false
		}
	}
	return true
}

// AddHandles makes n handles in a row for one name and returns the first. They name nothing yet.
func (t *Table) AddHandles(kind HandleKind, name string, n int) uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n == 1 && len(t.ended) > quarantine {
		h := t.ended[0]
		t.ended = t.ended[1:]
		t.slot(h).Store(&binding{name: name, kind: kind})
		return h
	}
	old := t.all()
	list := old // readers hold shorter lists of the same memory
	for range n {
		s := new(imageSlot)
		s.Store(&binding{name: name, kind: kind})
		list = append(list, s)
	}
	t.slots.Store(&list)
	return mem.ImageWindow + uint64(len(old))*mem.ImageStep
}

// change replaces what a handle means.
func (t *Table) change(handle uint64, by func(b *binding)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.slot(handle); s != nil {
		b := *s.Load()
		by(&b)
		s.Store(&b)
	}
}

// SetImage lets a handle name an image; nil: none.
func (t *Table) SetImage(handle uint64, im *Image) {
	t.change(handle, func(b *binding) { b.image = im })
}

// SetTexture lets a handle name a texture or a sampler; nil: none.
func (t *Table) SetTexture(handle uint64, x *Texture) {
	t.change(handle, func(b *binding) { b.texture = x })
}

// ImageOf returns the image that a handle names, nil if none.
func (t *Table) ImageOf(handle uint64) *Image {
	if s := t.slot(handle); s != nil {
		return s.Load().image
	}
	return nil
}

// TextureOf returns the texture or sampler that a handle names, nil if none.
func (t *Table) TextureOf(handle uint64) *Texture {
	if s := t.slot(handle); s != nil {
		return s.Load().texture
	}
	return nil
}

// DropHandles ends n handles in a row.
func (t *Table) DropHandles(handle uint64, n int) {
	for i := range uint64(n) {
		h := handle + i*mem.ImageStep
		t.change(h, func(b *binding) {
			*b = binding{name: b.name, kind: b.kind, gone: true}
			t.ended = append(t.ended, h)
		})
	}
}

func (t *Table) all() []*imageSlot {
	if p := t.slots.Load(); p != nil {
		return *p
	}
	return nil
}

// slot returns the place of a handle, nil if it is none.
func (t *Table) slot(handle uint64) *imageSlot {
	at, list := handle-mem.ImageWindow, t.all()
	if at%mem.ImageStep != 0 || at/mem.ImageStep >= uint64(len(list)) {
		return nil
	}
	return list[at/mem.ImageStep]
}

// Surface returns the image that a handle of a surface names; without one it says why.
func (t *Table) Surface(handle uint64) (im *Image, why string) {
	b, why := t.meaning(handle, SurfaceHandle)
	switch {
	case b == nil:
		return nil, why
	case b.image == nil:
		return nil, b.unbound(SurfaceHandle)
	}
	return b.image, ""
}

// Texture returns the texture or sampler that a handle of a kind names; without one it says why.
func (t *Table) Texture(handle uint64, kind HandleKind) (x *Texture, why string) {
	b, why := t.meaning(handle, kind)
	switch {
	case b == nil:
		return nil, why
	case b.texture == nil:
		return nil, b.unbound(kind)
	case b.texture.Gone != nil && b.texture.Gone():
		return nil, "the memory of " + b.name + " has been freed"
	}
	return b.texture, ""
}

// KindOf tells what a handle stands for, if it is one.
func (t *Table) KindOf(handle uint64) (kind HandleKind, ok bool) {
	s := t.slot(handle)
	if s == nil || s.Load().gone {
		return 0, false
	}
	return s.Load().kind, true
}

// meaning is what a handle of a kind means, and what is wrong if it names nothing.
func (t *Table) meaning(handle uint64, kind HandleKind) (b *binding, why string) {
	s := t.slot(handle)
	if s == nil {
		return nil, "it is no handle"
	}
	switch b = s.Load(); {
	case b.gone:
		return nil, b.name + " has been freed"
	case b.kind != kind:
		return nil, fmt.Sprintf("%s is a %v, no %v", b.name, b.kind, kind)
	}
	return b, ""
}

// unbound is what is wrong with a handle of a kind that is bound to nothing.
func (b *binding) unbound(kind HandleKind) string {
	return fmt.Sprintf("no %v is bound to the reference %s", kind, b.name)
}
