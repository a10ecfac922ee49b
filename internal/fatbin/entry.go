package fatbin

// This file reads the headers of a fat binary.

import (
	"encoding/binary"
	"fmt"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// kind is what an entry holds.
type kind uint16

const (
	kindPTX    kind = 1
	kindELF    kind = 2
	kindLTO    kind = 8   // NVVM intermediate code, for linking
	kindConcat kind = 256 // entries of one kind, compressed as one (nvcc -concat)
)

// Flags of an entry.
const (
	flagLZ4      = 0x2000
	flagZstd     = 0x8000
	flagArch     = 0x10_0000 // sm_90a
	flagFamily   = 0x20_0000 // sm_100f
	containMagic = 0xba55ed50
	containSize  = 16 // of a fat binary's header
	entrySize    = 64 // of an entry's header without its name and options
)

// entry is the program for one target.
type entry struct {
	kind   kind
	target isa.Target
	flags  uint64
	name   string // of the source file; may be empty
	raw    []byte // as it lies in the file
	size   uint64 // unpacked, if it is packed
}

// field offsets of an entry's header.
const (
	atKind, atHeader, atPayload, atPacked = 0, 4, 8, 16
	atOptions, atArch, atName, atNameLen  = 20, 28, 32, 36
	atFlags, atUnpacked                   = 40, 56
)

// IsFatbin reports whether data begins like a fat binary.
func IsFatbin(data []byte) bool {
	return len(data) >= 4 && binary.LittleEndian.Uint32(data) == containMagic
}

// containerSize is the length of the fat binary at the start of data, header included.
func containerSize(data []byte) (uint64, error) {
	if len(data) < containSize {
		return 0, fmt.Errorf("the header of a fat binary is cut off after %d bytes", len(data))
	}
	if !IsFatbin(data) {
		return 0, fmt.Errorf("no fat binary: it begins with %#x, not %#x", binary.LittleEndian.Uint32(data), containMagic)
	}
	version, header := binary.LittleEndian.Uint16(data[4:]), binary.LittleEndian.Uint16(data[6:])
	if version != 1 || header < containSize {
		return 0, fmt.Errorf("a fat binary of version %d with a header of %d bytes; known is version 1 with %d", version, header, containSize)
	}
	size := binary.LittleEndian.Uint64(data[8:])
	if size > uint64(len(data)) || uint64(header)+size > uint64(len(data)) {
		return 0, fmt.Errorf("the fat binary is cut off: its header promises %d bytes, there are %d", size, len(data)-int(header))
	}
	return uint64(header) + size, nil
}

// Size is the length of the fat binary at the start of data, of which only the header is needed.
func Size(header [containSize]byte) (uint64, error) {
	if !IsFatbin(header[:]) {
		return 0, fmt.Errorf("no fat binary: it begins with %#x, not %#x", binary.LittleEndian.Uint32(header[:]), containMagic)
	}
	return uint64(binary.LittleEndian.Uint16(header[6:])) + binary.LittleEndian.Uint64(header[8:]), nil
}

// entries splits one fat binary.
func (l *limiter) entries(data []byte) (list []entry, err error) {
	size, err := containerSize(data)
	if err != nil {
		return nil, err
	}
	rest := data[binary.LittleEndian.Uint16(data[6:]):size]
	for n := 0; len(rest) > 0; n++ {
		e, length, err := readEntry(rest)
		if err == nil && e.kind == kindConcat {
			var parts []entry
			parts, err = l.split(e, rest[:length-uint64(len(e.raw))])
			list = append(list, parts...)
		} else {
			list = append(list, e)
		}
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w", n, err)
		}
		rest = rest[length:]
	}
	return list, nil
}

// readEntry reads the entry at the start of b and says how long it is.
func readEntry(b []byte) (e entry, length uint64, err error) {
	if len(b) < entrySize {
		return e, 0, fmt.Errorf("its header is cut off after %d bytes", len(b))
	}
	header, payload := uint64(binary.LittleEndian.Uint32(b[atHeader:])), binary.LittleEndian.Uint64(b[atPayload:])
	if header < entrySize || header > uint64(len(b)) || payload > uint64(len(b))-header {
		return e, 0, fmt.Errorf("it is cut off: %d bytes of header and %d of content, there are %d", header, payload, len(b))
	}
	e = describe(b[:header])
	e.raw = b[header : header+payload]
	if packed := uint64(binary.LittleEndian.Uint32(b[atPacked:])); e.packed() && packed <= payload {
		e.raw = e.raw[:packed]
	} else if e.packed() {
		return e, 0, fmt.Errorf("%d packed bytes in %d of content", packed, payload)
	}
	return e, header + payload, nil
}

// describe reads what a header says but for its lengths.
func describe(header []byte) entry {
	e := entry{
		kind:  kind(binary.LittleEndian.Uint16(header[atKind:])),
		flags: binary.LittleEndian.Uint64(header[atFlags:]),
		size:  binary.LittleEndian.Uint64(header[atUnpacked:]),
	}
	e.target.Arch = int(binary.LittleEndian.Uint32(header[atArch:]))
	switch {
	case e.flags&flagArch != 0:
		e.target.Suffix = 'a'
	case e.flags&flagFamily != 0:
		e.target.Suffix = 'f'
	}
	at, n := uint64(binary.LittleEndian.Uint32(header[atName:])), uint64(binary.LittleEndian.Uint32(header[atNameLen:]))
	if at >= entrySize && at+n <= uint64(len(header)) {
		e.name = string(header[at : at+n])
	}
	return e
}

func (e *entry) packed() bool { return e.flags&(flagLZ4|flagZstd) != 0 }

// split unpacks entries that are compressed as one. Their headers lie behind that of the whole: a
// count, their length in all, and each with its place in the unpacked bytes where the length of a
// header would be.
func (l *limiter) split(whole entry, header []byte) (list []entry, err error) {
	content, err := l.unpack(&whole)
	if err != nil {
		return nil, err
	}
	if len(header) < entrySize+8 {
		return nil, fmt.Errorf("a list of entries is cut off")
	}
	count, rest := binary.LittleEndian.Uint32(header[entrySize:]), header[entrySize+8:]
	for range count {
		n := min(headerLength(rest), uint64(len(rest)))
		if n < entrySize {
			return nil, fmt.Errorf("a list of %d entries is cut off after %d", count, len(list))
		}
		e := describe(rest[:n])
		at, size := uint64(binary.LittleEndian.Uint32(rest[atHeader:])), binary.LittleEndian.Uint64(rest[atPayload:])
		if at > uint64(len(content)) || size > uint64(len(content))-at {
			return nil, fmt.Errorf("an entry of %d bytes at %d, in %d", size, at, len(content))
		}
		if err := l.take(size); err != nil { // many may stand for the same bytes
			return nil, err
		}
		e.flags, e.raw = e.flags&^(flagLZ4|flagZstd), content[at:at+size]
		list, rest = append(list, e), rest[n:]
	}
	return list, nil
}

// headerLength is the length of an entry's header from what follows its fixed part: the file's name, the
// compiler's options with their place and length, each with a NUL and rounded up to 8 bytes.
func headerLength(b []byte) uint64 {
	if len(b) < entrySize {
		return 0
	}
	up := func(n uint32) uint64 { return (uint64(n) + 8) &^ 7 }
	if at := uint64(binary.LittleEndian.Uint32(b[atOptions:])); at != 0 {
		if at+8 > uint64(len(b)) {
			return 0
		}
		return at + 8 + up(binary.LittleEndian.Uint32(b[at+4:]))
	}
	if n := binary.LittleEndian.Uint32(b[atNameLen:]); n != 0 {
		return entrySize + up(n)
	}
	return entrySize
}
