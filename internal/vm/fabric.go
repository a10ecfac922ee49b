package vm

// This file holds what reaches memory of several devices: multicast ranges, which multimem instructions take as an address,
// and logical endpoints, which fabric instructions take as a handle.

import (
	"errors"
	"fmt"

	"ptxvm.invalid/ptxvm/internal/mem"
)

// Endpoint is a logical endpoint: kernels name its bytes by its number and an offset (PTX ISA 9.4, 9.7.11). It is a small
// value; copies mean the same endpoint.
type Endpoint struct {
	of   *lifetime
	made *mem.Endpoint
}

// NewEndpoint makes a unicast endpoint over a buffer, which must outlive its use, of a device of the same NewDevices.
func (d *Device) NewEndpoint(b Buffer) (Endpoint, error) { return d.newEndpoint(false, b) }

// NewMulticastEndpoint makes a multicast endpoint over buffers of one size, one of each device, for instructions with
// .multimem; a device that issues one must have one of the buffers. Their order is that in which fabric.try_pullred adds.
func (d *Device) NewMulticastEndpoint(copies ...Buffer) (Endpoint, error) {
	return d.newEndpoint(true, copies...)
}

func (d *Device) newEndpoint(multicast bool, copies ...Buffer) (Endpoint, error) {
	at, size, err := d.replicas("an endpoint", copies)
	if err != nil {
		return Endpoint{}, err
	}
	e := Endpoint{of: &lifetime{d: d}}
	err = d.use(func() (err error) {
		e.made, err = d.machine.Arena.NewEndpoint(uint64(size), at, multicast)
		return err
	})
	if err != nil {
		return Endpoint{}, fmt.Errorf("ptxvm: %w", err)
	}
	return e, nil
}

// replicas are the addresses and the size of buffers that are reached as one.
func (d *Device) replicas(what string, copies []Buffer) (at []uint64, size int, err error) {
	if len(copies) == 0 || copies[0].size == 0 {
		return nil, 0, errors.New("ptxvm: " + what + " without memory")
	}
	for i, b := range copies {
		switch {
		case b.of == nil || b.of.over():
			return nil, 0, ErrClosed
		case !d.reaches(b.of.d):
			return nil, 0, fmt.Errorf("ptxvm: copy %d of %s is memory of another machine", i, what)
		case b.size != copies[0].size:
			return nil, 0, fmt.Errorf("ptxvm: copy %d of %s has %d bytes, copy 0 has %d", i, what, b.size, copies[0].size)
		case b.addr%16 != 0:
			return nil, 0, fmt.Errorf("ptxvm: copy %d of %s is at %#x, which is no multiple of 16", i, what, b.addr)
		}
		at = append(at, b.addr)
	}
	return at, copies[0].size, nil
}

// ID is the endpoint's number, which kernels take as an argument of type u32.
func (e Endpoint) ID() uint32 {
	if e.made == nil {
		return 0
	}
	return e.made.ID
}

// Fail lets operations on the endpoint fail from now on, as when a link is down: they move nothing, and the mbarriers that
// they complete on get a report with the status. Recover ends that.
func (e Endpoint) Fail(status uint8) {
	if e.made != nil {
		e.made.Fail(status)
	}
}

// Recover lets operations on the endpoint succeed again.
func (e Endpoint) Recover() {
	if e.made != nil {
		e.made.Recover()
	}
}

// Free ends the endpoint; the buffers stay.
func (e Endpoint) Free() error {
	if e.of == nil {
		return ErrClosed
	}
	return e.of.end(func() error { return e.of.d.machine.Arena.EndEndpoint(e.made.ID) })
}

// Multicast is a range of addresses that stands for buffers of several devices of one machine: multimem instructions
// reach the same place in all of them. Other instructions fault there. It is a small value; copies mean the same range.
type Multicast struct {
	of   *lifetime
	addr uint64
	size int
}

// NewMulticast makes a range over buffers of one size, which must outlive its use; their order is that in which
// multimem.ld_reduce adds floats. The devices must be of one NewDevices, d among them.
func (d *Device) NewMulticast(copies ...Buffer) (Multicast, error) {
	at, size, err := d.replicas("a multicast range", copies)
	if err != nil {
		return Multicast{}, err
	}
	m := Multicast{of: &lifetime{d: d}, size: size}
	err = d.use(func() (err error) {
		m.addr, err = d.machine.Arena.NewMulticast(uint64(m.size), at)
		return err
	})
	if err != nil {
		return Multicast{}, fmt.Errorf("ptxvm: %w", err)
	}
	return m, nil
}

// Addr is the first address; kernels take it as an argument.
func (m Multicast) Addr() uint64 { return m.addr }

// Len is the size of each copy in bytes.
func (m Multicast) Len() int { return m.size }

// Free ends the range; the buffers stay.
func (m Multicast) Free() error {
	if m.of == nil {
		return ErrClosed
	}
	return m.of.end(func() error { return m.of.d.machine.Arena.EndMulticast(m.addr) })
}
