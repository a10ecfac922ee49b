package vm

// This file holds device memory as the caller sees it, as bytes and as slices of Go numbers.

import (
	"errors"
	"fmt"
	"io"
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/mem"
)

// Buffer is a piece of device memory: an allocation, a part of one (Slice) or a module
// variable. It is a small value; copies mean the same memory. Reading and writing while
// a kernel uses the memory is the caller's race, and breaks nothing but the data.
type Buffer struct {
	of   *lifetime
	addr uint64
	size int
	base uint64 // start of the allocation
	own  bool   // Free may end the allocation
}

// Alloc allocates n zeroed bytes at a multiple of 256. It fails with ErrOutOfMemory.
func (d *Device) Alloc(n int) (Buffer, error) { return d.alloc(n, mem.Info{}) }

// AllocHost is Alloc of memory that the program reaches at its device address, too (DeviceConfig.HostGuard). What it
// writes there is not observed, so all of it counts as written (SanitizeInit).
func (d *Device) AllocHost(n int) (Buffer, error) {
	b, err := d.alloc(n, mem.Info{Host: true})
	if err == nil {
		d.shadow.Written(b.addr, uint64(n))
	}
	return b, err
}

func (d *Device) alloc(n int, info mem.Info) (Buffer, error) {
	if n < 0 {
		return Buffer{}, fmt.Errorf("ptxvm: an allocation of %d bytes", n)
	}
	var addr uint64
	err := d.use(func() (err error) {
		if addr, err = d.machine.Arena.Alloc(uint64(n), info); err == nil {
			d.shadow.Track(addr, uint64(n))
		}
		return err
	})
	if err != nil {
		return Buffer{}, d.outOfMemory(err, n)
	}
	return Buffer{of: &lifetime{d: d}, addr: addr, size: n, base: addr, own: true}, nil
}

// At is the n bytes at a device address that kernels of d may access; all must lie in one allocation. The
// result shares the allocation's memory, not its life: the device cannot tell when that ends. ErrClosed if there
// is none, or no longer.
func (d *Device) At(addr uint64, n int) (Buffer, error) {
	err := d.use(func() error {
		if n < 0 || d.machine.Arena.Bytes(addr, uint64(n)) == nil {
			return fmt.Errorf("%w: no allocation holds the %d bytes at %#x", ErrClosed, n, addr)
		}
		return nil
	})
	if err != nil {
		return Buffer{}, err
	}
	return Buffer{of: &lifetime{d: d}, addr: addr, size: n}, nil
}

// Adopt lets kernels use n bytes of the host's memory, and returns their device address: the host's, with
// DeviceConfig.HostPointers. The memory is not the device's: the caller keeps it in its place until Disown. It counts
// towards no limit. ErrOverlap if some of it is the device's already, ErrTooFar if it has no address on the device.
func (d *Device) Adopt(host uint64, n int) (addr uint64, err error) {
	if n <= 0 {
		return 0, fmt.Errorf("ptxvm: %d bytes of the host's memory", n)
	}
	err = d.use(func() (err error) {
		if addr, err = d.machine.Arena.Adopt(host, uint64(n), mem.Info{Label: "memory of the host"}); err == nil {
			d.shadow.Track(addr, uint64(n))
			d.shadow.Written(addr, uint64(n))
		}
		return err
	})
	return addr, err
}

// Disown ends what Adopt began, after all kernels that use the memory. ErrClosed if nothing was adopted there.
func (d *Device) Disown(addr uint64) error {
	return d.use(func() error {
		if err := d.machine.Arena.Disown(addr); err != nil {
			return fmt.Errorf("%w: nothing is adopted at %#x", ErrClosed, addr)
		}
		d.shadow.Drop(addr)
		return nil
	})
}

// Memory tells how many bytes of device memory are in use, and how many there are.
func (d *Device) Memory() (used, limit uint64) {
	return d.machine.Arena.Usage().Bytes, d.machine.Arena.Limit()
}

// outOfMemory says how much was asked for and how much there is.
func (d *Device) outOfMemory(err error, n int) error {
	if !errors.Is(err, mem.ErrOutOfMemory) {
		return err
	}
	arena, asked := d.machine.Arena, ""
	if n > 0 {
		asked = fmt.Sprintf("%d bytes asked for, ", n)
	}
	used, limit := arena.Usage().Bytes, arena.Limit()
	if n > 0 && used+uint64(n) <= limit { // the limit is not what stands in the way
		return fmt.Errorf("%w: %s%d of %d in use (%w)", ErrOutOfMemory, asked, used, limit, err)
	}
	return fmt.Errorf("%w: %s%d of %d in use", ErrOutOfMemory, asked, used, limit)
}

// Addr is the device address, as a kernel sees it.
func (b Buffer) Addr() uint64 { return b.addr }

// Len is the size in bytes.
func (b Buffer) Len() int { return b.size }

// String says which memory it is: "Buffer(64 bytes at 0x700000000000)".
func (b Buffer) String() string {
	switch {
	case b.of == nil:
		return "Buffer(none)"
	case b.of.over():
		return fmt.Sprintf("Buffer(freed, %d bytes)", b.size)
	}
	return fmt.Sprintf("Buffer(%d bytes at %#x)", b.size, b.addr)
}

// Slice is the part of b from byte from up to byte to, which must lie inside; it panics
// otherwise, as a slice expression does.
func (b Buffer) Slice(from, to int) Buffer {
	if from < 0 || to < from || to > b.size {
		panic(fmt.Sprintf("ptxvm: slice [%d:%d] of a buffer of %d bytes", from, to, b.size))
	}
	b.addr, b.size, b.own = b.addr+uint64(from), to-from, false
	return b
}

// Free ends the allocation. It is idempotent; later use of b or a slice of it returns
// ErrClosed. On a slice, a module variable or the zero Buffer it does nothing.
func (b Buffer) Free() error {
	if !b.own {
		return nil
	}
	return b.of.end(func() error {
		b.of.d.shadow.Drop(b.base)
		return b.of.d.machine.Arena.Free(b.base)
	})
}

// ReadAt copies bytes out of device memory, as io.ReaderAt says.
func (b Buffer) ReadAt(p []byte, off int64) (int, error) {
	return b.transfer(p, off, func(host, device []byte) int {
		b.of.d.shadow.Read(b.addr+uint64(off), uint64(len(device)))
		return b.of.d.machine.Read(host, device)
	})
}

// WriteAt copies bytes into device memory, as io.WriterAt says; what lies behind the end
// is not written and gives io.ErrShortWrite.
func (b Buffer) WriteAt(p []byte, off int64) (int, error) {
	n, err := b.transfer(p, off, func(host, device []byte) int {
		b.of.d.shadow.Written(b.addr+uint64(off), uint64(len(device)))
		return b.of.d.machine.Write(device, host)
	})
	if err == io.EOF {
		err = io.ErrShortWrite
	}
	return n, err
}

// HostAddr is the host address at which the program may read and write a buffer's bytes itself, though
// DeviceConfig.HostGuard lets its accesses at their device address fault. What it writes is not observed: HostWrote
// tells of it.
//
//face:inside
func HostAddr(b Buffer) (addr uint64, err error) {
	err = b.of.use(func() error {
		addr = hostAddr(b.of.d.machine.Arena.Bytes(b.addr, uint64(b.size)))
		return nil
	})
	return addr, err
}

// HostWrote says that the program has written a buffer's bytes itself: they count as written (SanitizeInit).
//
//face:inside
func HostWrote(b Buffer) error {
	return b.of.use(func() error {
		b.of.d.shadow.Written(b.addr, uint64(b.size))
		return nil
	})
}

// CopyFrom copies the start of another buffer, of any device of the machine, and returns how many bytes both have. The
// buffers may overlap.
func (b Buffer) CopyFrom(from Buffer) (n int, err error) {
	n = min(b.size, from.size)
	if n == 0 {
		return 0, nil
	}
	err = from.of.use(func() error {
		from.of.d.shadow.Read(from.addr, uint64(n))
		_, err := b.WriteAt(from.of.d.machine.Arena.Bytes(from.addr, uint64(n)), 0)
		return err
	})
	return n, err
}

func (b Buffer) transfer(p []byte, off int64, move func(host, device []byte) int) (n int, err error) {
	if off < 0 {
		return 0, fmt.Errorf("ptxvm: negative offset %d in a buffer", off)
	}
	err = b.of.use(func() error {
		left := max(int64(b.size)-off, 0)
		if want := min(int64(len(p)), left); want > 0 {
			n = move(p, b.of.d.machine.Arena.Bytes(b.addr+uint64(off), uint64(want)))
		}
		if n < len(p) {
			return io.EOF
		}
		return nil
	})
	return n, err
}

// Copy copies all of src to the start of dst, on the device or from one to another. It is an error, and nothing is copied,
// if dst is shorter. Parts of one allocation may overlap. What is copied counts as written (SanitizeInit).
func Copy(dst, src Buffer) error {
	switch {
	case dst.of == nil || src.of == nil:
		return ErrClosed
	case src.size > dst.size:
		return fmt.Errorf("ptxvm: a copy of %d bytes to a buffer of %d", src.size, dst.size)
	case dst.of.d != src.of.d:
		return copyAcross(dst, src)
	}
	return src.of.use(func() error {
		d := src.of.d
		if dst.of.over() {
			return ErrClosed
		}
		d.shadow.Read(src.addr, uint64(src.size))
		d.shadow.Written(dst.addr, uint64(src.size))
		copy(d.machine.Arena.Bytes(dst.addr, uint64(src.size)), d.machine.Arena.Bytes(src.addr, uint64(src.size)))
		return nil
	})
}

// copyAcross copies between devices by way of the host: holding two devices at a time could wait for ever.
func copyAcross(dst, src Buffer) error {
	chunk := make([]byte, min(src.size, 1<<20))
	for off := 0; off < src.size; off += len(chunk) {
		n := min(len(chunk), src.size-off)
		if _, err := src.ReadAt(chunk[:n], int64(off)); err != nil {
			return err
		}
		if _, err := dst.WriteAt(chunk[:n], int64(off)); err != nil {
			return err
		}
	}
	return nil
}

// Fill sets all of b to copies of a value. It is an error if b is no whole number of them.
func Fill[T Scalar](b Buffer, v T) error {
	one := scalarBytes([]T{v})
	if b.size%len(one) != 0 {
		return fmt.Errorf("ptxvm: a buffer of %d bytes is no whole number of values of %d", b.size, len(one))
	}
	return b.of.use(func() error {
		d := b.of.d
		d.shadow.Written(b.addr, uint64(b.size))
		to := d.machine.Arena.Bytes(b.addr, uint64(b.size))
		for done := copy(to, one); done < len(to); {
			done += copy(to[done:], to[:done])
		}
		return nil
	})
}

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
