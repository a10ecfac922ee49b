//go:build linux && amd64

package host

// This file keeps two threads off one processor. Linux leaves a thread that it wakes on the processor of the one that
// has woken it if the others are thought to be busy, and takes the halted processors of a virtual machine for such: there
// two workers share one processor for milliseconds while another one has nothing to do.

import (
	"runtime"
	"syscall"
	"unsafe"
)

// processors is a set of them, as many as Linux has at most.
type processors [8192 / 64]uint64

const sysGetCPU = 309

// processor returns the one that the caller runs on, -1 if that is not known.
func processor() int32 {
	var p uint32
	if _, _, e := syscall.RawSyscall(sysGetCPU, uintptr(unsafe.Pointer(&p)), 0, 0); e != 0 {
		return -1
	}
	return int32(p)
}

// moveFrom has the calling thread run on another processor, if it may; where it goes on to is the system's matter.
func moveFrom(p int32) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var may processors
	n, _, e := syscall.RawSyscall(syscall.SYS_SCHED_GETAFFINITY, 0, unsafe.Sizeof(may), uintptr(unsafe.Pointer(&may)))
	if e != 0 {
		return
	}
	others := may
	others[p/64] &^= 1 << (p % 64)
	if others == (processors{}) {
		return
	}
	if _, _, e = syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, 0, n, uintptr(unsafe.Pointer(&others))); e != 0 { // as in some containers
		return
	}
	syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, 0, n, uintptr(unsafe.Pointer(&may)))
}
