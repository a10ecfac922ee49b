package fatbin

// This file unpacks compressed entries, within limits.

import (
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// DefaultLimit bounds the bytes that one Read unpacks.
const DefaultLimit = 1 << 30

// ErrLimit says that unpacking would need more memory than allowed.
var ErrLimit = errors.New("the content is too large when unpacked")

// limiter counts what has been unpacked.
type limiter struct{ left uint64 }

// take accounts for n bytes.
func (l *limiter) take(n uint64) error {
	if n > l.left {
		return fmt.Errorf("%w: %d bytes, %d are left of the limit", ErrLimit, n, l.left)
	}
	l.left -= n
	return nil
}

// lz4Ratio is the most that a byte of LZ4 can stand for: a length byte of 255 (block format, lengths).
const lz4Ratio = 255

// unpack returns an entry's content.
func (l *limiter) unpack(e *entry) ([]byte, error) {
	switch {
	case !e.packed():
		return e.raw, nil
	case e.flags&flagLZ4 != 0 && e.size/lz4Ratio > uint64(len(e.raw)):
		return nil, fmt.Errorf("%d bytes of LZ4 cannot stand for %d", len(e.raw), e.size)
	}
	if err := l.take(e.size); err != nil {
		return nil, err
	}
	var out []byte
	var err error
	if e.flags&flagLZ4 != 0 {
		out, err = unpackLZ4(e.raw, e.size)
	} else {
		out, err = unpackZstd(e.raw, e.size)
	}
	if err == nil && uint64(len(out)) != e.size {
		err = fmt.Errorf("%d bytes came out, the header promises %d", len(out), e.size)
	}
	return out, err
}

// unpackLZ4 reads one block without a frame.
func unpackLZ4(raw []byte, size uint64) ([]byte, error) {
	out := make([]byte, size)
	n, err := lz4.UncompressBlock(raw, out)
	if err != nil {
		return nil, fmt.Errorf("LZ4: %w", err)
	}
	return out[:n], nil
}

// zstdRoom is what the decoder needs beyond what comes out, for short texts.
const zstdRoom = 64 << 10

// unpackZstd reads frames that come to size bytes. Memory grows with what comes out, so that a header
// alone cannot ask for much.
func unpackZstd(raw []byte, size uint64) ([]byte, error) {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(size+zstdRoom))
	if err != nil {
		return nil, fmt.Errorf("zstd: %w", err)
	}
	defer d.Close()
	out, err := d.DecodeAll(raw, nil)
	if err != nil {
		return nil, fmt.Errorf("zstd: %w", err)
	}
	return out, nil
}
