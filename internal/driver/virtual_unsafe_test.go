package driver

import (
	"encoding/binary"
	"testing"
)

// mapped makes memory, maps it at an address and lets kernels in.
func (r *rig) mapped(at, size uint64) (handle uint64) {
	r.t.Helper()
	h, code := r.PhysicalCreate(0, size)
	r.want(code, Success)
	r.want(r.Map(at, size, h), Success)
	r.want(r.AccessSet(at, size, true), Success)
	return h
}

// TestVirtual: memory that is mapped side by side is one piece for copies and kernels, keeps what is in it when it moves, and is
// the same memory in two places.
func TestVirtual(t *testing.T) {
	for _, guard := range []bool{false, true} {
		cfg := Config{}
		cfg.Device.HostGuard = guard
		r := newRig(t, cfg)
		const size = Granularity
		add := r.function("add")
		r.want(r.launch(0, add, 1, addParams(0, 0, 0)), Success) // what a kernel needs once is there
		r.want(r.Synchronize(0), Success)
		at, code := r.AddressReserve(4*size, 0)
		r.want(code, Success)
		if at%Granularity != 0 {
			t.Errorf("%#x is not aligned", at)
		}
		free, _, _ := r.MemoryInfo(0)
		a, b := r.mapped(at, size), r.mapped(at+size, size)
		if now, _, _ := r.MemoryInfo(0); now != free-2*size {
			t.Errorf("%d bytes are free, before %d", now, free)
		}

		words := make([]byte, 2*size)
		for i := range uint32(2 * size / 4) {
			binary.NativeEndian.PutUint32(words[4*i:], i)
		}
		to, from, box := row(at, address(words), 2*size)
		r.want(r.Copy(0, 0, to, from, box, HostToDevice, SyncCall), Success)
		const across = 1024 // words around the middle
		r.want(r.launch(0, add, across/64, addParams(at+size-across*2, 7, across)), Success)
		r.want(r.Synchronize(0), Success)

		// To another place, in the other order.
		r.want(r.Unmap(at, 2*size), Success)
		further, code := r.AddressReserve(2*size, 4*size)
		r.want(code, Success)
		if further%(4*size) != 0 {
			t.Errorf("%#x is not aligned", further)
		}
		r.want(r.AddressFree(at, 4*size), Success)
		r.want(r.Map(further, size, b), Success)
		r.want(r.Map(further+size, size, a), Success)
		r.want(r.AccessSet(further, 2*size, true), Success)
		moved := r.read(further, 2*size)
		for i := range uint32(2 * size / 4) {
			want := i
			if i >= size/4-across/2 && i < size/4+across/2 {
				want += 7
			}
			place := (i + size/4) % (2 * size / 4) // the halves have changed places
			if got := binary.NativeEndian.Uint32(moved[4*place:]); got != want {
				t.Fatalf("word %d: %d, want %d", i, got, want)
			}
		}

		// In two places at once.
		twice, code := r.AddressReserve(size, 0)
		r.want(code, Success)
		r.want(r.Map(twice, size, b), Success)
		r.want(r.AccessSet(twice, size, true), Success)
		r.want(r.Fill(0, 0, Place{Addr: twice}, 0x51, 1, Box{size, 1, 1}, SyncCall), Success)
		if got := r.read(further, 4); got[0] != 0x51 {
			t.Errorf("the other place of the memory has %x", got)
		}
		if h, code := r.PhysicalRetain(twice + 5); code != Success || h != b {
			t.Errorf("retaining: %#x %d, want %#x", h, code, b)
		}

		// A handle may go before its place; a place before its reservation.
		for _, h := range []uint64{a, b, b} {
			r.want(r.PhysicalRelease(h), Success)
		}
		r.want(r.PhysicalRelease(b), InvalidValue)
		r.want(r.AddressFree(twice, size), InvalidValue)
		r.want(r.Unmap(twice, size), Success)
		r.want(r.AddressFree(twice, size), Success)
		r.want(r.Unmap(further, 2*size), Success)
		r.want(r.AddressFree(further, 2*size), Success)
		if now, _, _ := r.MemoryInfo(0); now != free {
			t.Errorf("%d bytes are free at the end, before %d", now, free)
		}
	}
}

// TestVirtualCodes lists wrong calls.
func TestVirtualCodes(t *testing.T) {
	r := newRig(t, Config{})
	const size = Granularity
	at, code := r.AddressReserve(4*size, 0)
	r.want(code, Success)
	h := r.mapped(at+size, size)
	to, from, box := row(at, address(make([]byte, 2*size)), 2*size)
	for name, c := range map[string][2]Code{
		"no bytes":                    {second(r.AddressReserve(0, 0)), InvalidValue},
		"bytes not of the grain":      {second(r.AddressReserve(size+4096, 0)), InvalidValue},
		"alignment":                   {second(r.AddressReserve(size, 3*size)), InvalidValue},
		"too many addresses":          {second(r.AddressReserve(1<<60, 0)), OutOfMemory},
		"memory not of the grain":     {second(r.PhysicalCreate(0, 4096)), InvalidValue},
		"more memory than there is":   {second(r.PhysicalCreate(0, 1<<40)), OutOfMemory},
		"memory of no device":         {second(r.PhysicalCreate(7, size)), InvalidDevice},
		"a handle of something else":  {r.Map(at, size, r.module), InvalidValue},
		"a place that is taken":       {r.Map(at+size, size, h), InvalidValue},
		"more than the memory":        {r.Map(at+2*size, 2*size, h), InvalidValue},
		"a place nobody has reserved": {r.Map(at+4*size, size, h), InvalidValue},
		"access where nothing is":     {r.AccessSet(at, 2*size, true), InvalidValue},
		"taking out too much":         {r.Unmap(at, 2*size), InvalidValue},
		"freeing what is mapped":      {r.AddressFree(at, 4*size), InvalidValue},
		"cudaFree of it":              {r.Free(at+size, false), InvalidValue},
		"unregistering it":            {r.Unregister(at + size), NotRegistered},
		"a copy into a gap":           {r.Copy(0, 0, to, from, box, HostToDevice, SyncCall), InvalidValue},
		"retaining nothing":           {second(r.PhysicalRetain(at)), InvalidValue},
	} {
		if c[0] != c[1] {
			t.Errorf("%s: %d, want %d", name, c[0], c[1])
		}
	}
	r.want(r.AccessSet(at+size, size, false), Success)
	if on, code := r.AccessGet(at + size); on || code != Success {
		t.Errorf("access is %v %d", on, code)
	}
	r.want(r.launch(0, r.function("add"), 1, addParams(at+size, 1, 1)), Success)
	r.want(r.Synchronize(0), IllegalAddress)
}
