//go:build cudart

package main

// This file exports virtual memory.

import "C"

//export pvm_address_reserve
func pvm_address_reserve(size, alignment uint64, address *uint64) int32 {
	v, code := the.AddressReserve(size, alignment)
	return int32(put(code, address, v))
}

//export pvm_address_free
func pvm_address_free(address, size uint64) int32 { return int32(the.AddressFree(address, size)) }

//export pvm_physical_create
func pvm_physical_create(device int32, size uint64, handle *uint64) int32 {
	v, code := the.PhysicalCreate(int(device), size)
	return int32(put(code, handle, v))
}

//export pvm_physical_release
func pvm_physical_release(handle uint64) int32 { return int32(the.PhysicalRelease(handle)) }

//export pvm_physical_retain
func pvm_physical_retain(address uint64, handle *uint64) int32 {
	v, code := the.PhysicalRetain(address)
	return int32(put(code, handle, v))
}

//export pvm_physical_device
func pvm_physical_device(handle uint64, device *int32) int32 {
	v, code := the.PhysicalDevice(handle)
	return int32(put(code, device, int32(v)))
}

//export pvm_map
func pvm_map(address, size, handle uint64) int32 { return int32(the.Map(address, size, handle)) }

//export pvm_unmap
func pvm_unmap(address, size uint64) int32 { return int32(the.Unmap(address, size)) }

//export pvm_access_set
func pvm_access_set(address, size uint64, on int32) int32 {
	return int32(the.AccessSet(address, size, on != 0))
}

//export pvm_access_get
func pvm_access_get(address uint64, on *int32) int32 {
	v, code := the.AccessGet(address)
	n := int32(0)
	if v {
		n = 1
	}
	return int32(put(code, on, n))
}
