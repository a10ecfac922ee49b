package driver

// This file says what the device is like, attribute by attribute.

import (
	"math"

	"ptxvm.invalid/ptxvm/internal/vm"
)

// Version is that of the driver and the runtime: 13.5.
const Version = 13050

const (
	warpSize       = 32
	registersPerSM = 64 << 10
	staticShared   = 48 << 10
	constantMemory = 64 << 10
	clockKHz       = 1_000_000 // clocks of kernels count nanoseconds
	memoryKHz      = 1_000_000
	busWidth       = 64
	l2Cache        = 32 << 20
	textureAlign   = 256 // that of allocations
	pitchAlign     = 32
)

func constant(n int) func(vm.DeviceInfo) int { return func(vm.DeviceInfo) int { return n } }

// attributes are those that are not 0, with CUDA's numbers (CUdevice_attribute, cudaDeviceAttr).
var attributes = map[int]func(vm.DeviceInfo) int{
	1: constant(1024), 2: constant(1024), 3: constant(1024), 4: constant(64), // threads of a block, and its x, y, z
	5: constant(math.MaxInt32), 6: constant(65535), 7: constant(65535), // grid x, y, z
	8: constant(staticShared), 9: constant(constantMemory), 10: constant(warpSize), 11: constant(math.MaxInt32),
	12: constant(registersPerSM), 13: constant(clockKHz), 14: constant(textureAlign), 15: constant(1),
	16: processors,
	19: constant(1),                                                                                                                // maps host memory
	21: constant(131072), 22: constant(131072), 23: constant(65536), 24: constant(16384), 25: constant(16384), 26: constant(16384), // textures
	27: constant(32768), 28: constant(32768), 29: constant(2048),
	30: constant(textureAlign), 31: constant(1), // surface alignment; concurrent kernels
	36: constant(memoryKHz), 37: constant(busWidth), 38: constant(l2Cache),
	39: func(s vm.DeviceInfo) int { return s.ThreadsPerSM },
	40: constant(2), 41: constant(1), // copy engines; unified addresses
	51: constant(pitchAlign),
	75: func(s vm.DeviceInfo) int { return s.Major },
	76: func(s vm.DeviceInfo) int { return s.Minor },
	78: constant(1), 79: constant(1), 80: constant(1), // stream priorities; L1 for global and local memory
	81: func(s vm.DeviceInfo) int { return s.SharedPerSM },
	82: constant(registersPerSM), 83: constant(1), // managed memory
	86: constant(1), 87: constant(2), 89: constant(1), 90: constant(1), // native atomics with the host; f32:f64; concurrent managed access; preemption
	92: constant(1), 93: constant(1), 94: constant(1), // words in streams: of 32 and 64 bits, waiting for bits that are not set
	95:  constant(1), // cooperative launch
	97:  func(s vm.DeviceInfo) int { return s.SharedPerCTA },
	101: constant(1), // the host reaches managed memory directly
	102: constant(1), // virtual memory management
	106: func(s vm.DeviceInfo) int { return s.CTAsPerSM },
	111: func(s vm.DeviceInfo) int { return s.ReservedShared },
	115: constant(1),                                             // memory pools
	120: func(s vm.DeviceInfo) int { return btoi(s.Major >= 9) }, // clusters
	122: constant(1), 123: constant(1),                           // words in streams again
	142: constant(1), 144: constant(1), // memory pools of the host's memory
}

// lastAttribute is the greatest number that 13.5 knows.
const lastAttribute = 161

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Attribute tells an attribute of a device.
func (d *Driver) Attribute(dev, attribute int) (value int, code Code) {
	defer d.defect(&code)
	if len(d.devices) == 0 {
		return 0, NoDevice
	}
	if dev < 0 || dev >= len(d.devices) {
		return 0, InvalidDevice
	}
	if attribute < 1 || attribute > lastAttribute {
		return 0, InvalidValue
	}
	if f := attributes[attribute]; f != nil {
		value = f(d.devices[dev].vm.Info())
	}
	return value, Success
}

// Name is a device's name.
func (d *Driver) Name(dev int) string { return "ptxvm (" + d.devices[dev].vm.Arch() + ")" }
