//go:build amd64 && windows

package native

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

func pages(n int) ([]byte, error) {
	p, err := windows.VirtualAlloc(0, uintptr(n), windows.MEM_RESERVE|windows.MEM_COMMIT, windows.PAGE_READWRITE)
	if err != nil {
		return nil, err
	}
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&p)), n), nil
}

func protect(m []byte) error { return become(m, windows.PAGE_EXECUTE_READ) }

func unprotect(m []byte) error { return become(m, windows.PAGE_READWRITE) }

func become(m []byte, access uint32) error {
	var old uint32
	return windows.VirtualProtect(uintptr(unsafe.Pointer(unsafe.SliceData(m))), uintptr(len(m)), access, &old)
}

func free(m []byte) error {
	return windows.VirtualFree(uintptr(unsafe.Pointer(unsafe.SliceData(m))), 0, windows.MEM_RELEASE)
}
