package native

// This file asks the processor who made it.

import "encoding/binary"

func cpuid(leaf uint32) (a, b, c, d uint32)

// Maker returns the maker's name as CPUID has it, and the processor's family.
func Maker() (name string, family int) {
	_, b, c, d := cpuid(0)
	text := binary.LittleEndian.AppendUint32(nil, b)
	text = binary.LittleEndian.AppendUint32(text, d)
	text = binary.LittleEndian.AppendUint32(text, c)
	a, _, _, _ := cpuid(1)
	if family = int(a >> 8 & 15); family == 15 { // the extended family is added
		family += int(a >> 20 & 255)
	}
	return string(text), family
}
