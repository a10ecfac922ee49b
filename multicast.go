package ptxvm

// This file holds multicast ranges: what multimem instructions take as an address.

import "fmt"

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
