package ptxvm

// This file copies slices of Go numbers to and from devices.

import (
	"fmt"
	"unsafe"
)

// Float16 is an IEEE binary16 value as bits: Go has no such type, PTX has (.f16).
type Float16 uint16

// BFloat16 is a bfloat16 value as bits (.bf16).
type BFloat16 uint16

// Scalar lists the Go types that stand for a PTX scalar of the same size.
type Scalar interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// Upload allocates a buffer for vals on d and copies them, little-endian as PTX has it.
// An empty slice gives a buffer of length 0 with an address of its own.
func Upload[T Scalar](d *Device, vals []T) (Buffer, error) {
	b, err := d.Alloc(len(vals) * int(unsafe.Sizeof(*new(T))))
	if err != nil {
		return Buffer{}, err
	}
	if _, err := b.WriteAt(scalarBytes(vals), 0); err != nil {
		return Buffer{}, err
	}
	return b, nil
}

// Download copies len(vals) values from the start of b. It is an error, and nothing is copied, if b is shorter.
func Download[T Scalar](b Buffer, vals []T) error {
	bytes := scalarBytes(vals)
	if len(bytes) > b.Len() {
		return fmt.Errorf("ptxvm: a download of %d bytes (%d values) from a buffer of %d", len(bytes), len(vals), b.Len())
	}
	_, err := b.ReadAt(bytes, 0)
	return err
}
