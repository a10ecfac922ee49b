package tensor

import "encoding/binary"

// Format says what a copy does to each unit of 16 bytes.
type Format uint8

// The formats of a source whose destination is .b8x16 (9.7.16.9.1), or .s8 (9.4: 9.7.16.5.15).
const (
	Plain    Format = iota
	B6x16P32        // 16 elements of 6 bits, then 4 bytes of padding
	B4x16P64        // 16 elements of 4 bits, then 8 bytes of padding
	S4              // 16 elements of 4 bits, with signs
)

func (f Format) String() string {
	return [...]string{"plain", ".b8x16.b6x16_p32", ".b8x16.b4x16_p64", ".s8.s4"}[f]
}

// Bytes is how many bytes of a unit hold elements.
func (f Format) Bytes() uint32 { return [...]uint32{16, 12, 8, 8}[f] }

// Expand turns a unit of shared memory into 16 bytes of tensor memory. Elements lie from the
// lowest bit on. A 6-bit element becomes the low bits of its byte; a 4-bit one is shifted left
// by shift4: 2 puts it where the mma instructions expect an e2m1, with the mantissa of an e2m3
// whose lower bits are zero.
func (f Format) Expand(src *[16]byte, shift4 uint) [16]byte {
	switch f {
	case B6x16P32:
		return expand6(src)
	case B4x16P64:
		return expand4(src, shift4)
	case S4:
		return signs4(expand4(src, 0))
	}
	return *src
}

// signs4 copies bit 3 of each byte upwards.
func signs4(v [16]byte) [16]byte {
	for i, x := range v {
		v[i] = x | x&8*0x1e
	}
	return v
}

// expand6 takes three bytes to four elements.
func expand6(src *[16]byte) (dst [16]byte) {
	for i := range 4 {
		s, d := src[3*i:3*i+3:3*i+3], dst[4*i:4*i+4:4*i+4]
		v := uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16
		binary.LittleEndian.PutUint32(d, v&0x3f|v<<2&0x3f00|v<<4&0x3f0000|v<<6&0x3f000000)
	}
	return dst
}

// expand4 takes four bytes to eight elements: nibbles are moved apart in two steps.
func expand4(src *[16]byte, shift uint) (dst [16]byte) {
	for i := range 2 {
		v := uint64(binary.LittleEndian.Uint32(src[4*i:]))
		v = (v | v<<16) & 0x0000ffff0000ffff
		v = (v | v<<8) & 0x00ff00ff00ff00ff
		v = (v | v<<4) & 0x0f0f0f0f0f0f0f0f
		binary.LittleEndian.PutUint64(dst[8*i:], v<<shift)
	}
	return dst
}
