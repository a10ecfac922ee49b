package fatbin

// This file knows containers: linked PTX as ptxvm's own ptxas and linker write it, where NVIDIA's write machine code
// (internal/cudaabi/front/linked.h reads the same).

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// containerMagic begins them; behind it stand how many texts there are and each with its size, which counts its NUL.
const containerMagic = "\x7fPTXVM\x01\x00"

// Pack is a container of one text.
func Pack(text []byte) []byte {
	data := binary.LittleEndian.AppendUint64([]byte(containerMagic), 1)
	data = binary.LittleEndian.AppendUint64(data, uint64(len(text)+1))
	return append(append(data, text...), 0)
}

// IsContainer reports whether data begins like a container.
func IsContainer(data []byte) bool { return bytes.HasPrefix(data, []byte(containerMagic)) }

// unpack lists the texts of a container.
func unpack(data []byte) (modules []Embedded, err error) {
	word := func() (n uint64) {
		if len(data) < 8 {
			err = errors.New("the container of linked PTX is cut off")
			return 0
		}
		n, data = binary.LittleEndian.Uint64(data), data[8:]
		return n
	}
	data = data[len(containerMagic):]
	for n := word(); n > 0 && err == nil; n-- {
		size := word()
		if err == nil && (size == 0 || size > uint64(len(data))) {
			err = errors.New("the container of linked PTX is cut off")
		}
		if err == nil {
			modules = append(modules, Embedded{PTX: data[:size-1]})
			data = data[size:]
		}
	}
	for i := range modules {
		modules[i].Linked = len(modules) > 1
	}
	return modules, err
}
