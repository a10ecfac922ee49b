package driver

// This file says how much of a kernel a device holds at a time.

import "ptxvm.invalid/ptxvm/internal/vm"

// How registers are handed out since sm_70: to warps, in units, by each of the partitions of a multiprocessor.
const (
	registerUnit = 256
	partitions   = 4
)

// resident is how many CTAs of a kernel a multiprocessor holds whose threads have so many registers.
func (f *function) resident(s vm.DeviceInfo, registers, threads, dynamic int) int {
	warps := (threads + warpSize - 1) / warpSize
	n := min(s.CTAsPerSM, s.ThreadsPerSM/(warps*warpSize))
	each := (registers*warpSize + registerUnit - 1) / registerUnit * registerUnit // of a warp
	if each*((warps+partitions-1)/partitions*partitions) > registersPerSM {
		return 0
	}
	n = min(n, registersPerSM/partitions/max(each, 1)*partitions/warps)
	if shared := f.info.StaticShared + dynamic + s.ReservedShared; shared > 0 {
		n = min(n, s.SharedPerSM/shared)
	}
	return n
}

// asked finds a function on a device, and how large that is.
func (d *Driver) asked(dev int, fn uint64) (*function, *loaded, vm.DeviceInfo, Code) {
	v, code := d.device(dev)
	if code != Success {
		return nil, nil, vm.DeviceInfo{}, code
	}
	f, ok := lookup[*function](d, fn)
	if !ok {
		return nil, nil, vm.DeviceInfo{}, InvalidHandle
	}
	on, code := f.load(v)
	return f, on, v.vm.Info(), code
}

// Occupancy is how many CTAs of a shape a multiprocessor holds.
func (d *Driver) Occupancy(dev int, fn uint64, threads, dynamic int) (blocks int, code Code) {
	defer d.defect(&code)
	f, on, sizes, code := d.asked(dev, fn)
	switch {
	case code != Success:
		return 0, code
	case threads <= 0 || dynamic < 0:
		return 0, InvalidValue
	case threads > maxThreads || int64(dynamic) > f.dynamicLimit(sizes, sharedDefault):
		return 0, Success
	}
	return f.resident(sizes, on.registers, threads, dynamic), Success
}

// OccupancyShared is the dynamic shared memory that a CTA may have while a multiprocessor holds so many.
func (d *Driver) OccupancyShared(dev int, fn uint64, blocks, threads int) (dynamic int, code Code) {
	defer d.defect(&code)
	f, on, sizes, code := d.asked(dev, fn)
	switch {
	case code != Success:
		return 0, code
	case blocks <= 0 || threads <= 0 || threads > maxThreads || f.resident(sizes, on.registers, threads, 0) < blocks:
		return 0, InvalidValue
	}
	const granule = 128
	each := sizes.SharedPerSM/blocks - sizes.ReservedShared - f.info.StaticShared
	return max(min(each, sizes.SharedPerCTA-f.info.StaticShared), 0) &^ (granule - 1), Success
}

const (
	maxThreads  = 1024 // of a CTA
	portable    = 8    // CTAs of a cluster that every device with clusters runs
	maxClusters = 16   // the same of sm_90 and later, where a kernel asks for it
)

// OccupancyClusters is the largest cluster that a kernel may have, and how many of the launch's shape a device holds.
func (d *Driver) OccupancyClusters(dev int, fn uint64, l Launch) (most, clusters int, code Code) {
	defer d.defect(&code)
	f, on, sizes, code := d.asked(dev, fn)
	threads := int(min(l.Block.Count(), 2*maxThreads))
	switch {
	case code != Success:
		return 0, 0, code
	case sizes.Major < 9:
		return 0, 0, NotSupported
	case threads == 0 || threads > maxThreads || l.SharedMode > lastSharedMode || int64(l.Shared) > f.dynamicLimit(sizes, l.SharedMode):
		return 0, 0, InvalidValue
	}
	most = portable
	if f.nonPortable.Load() {
		most = maxClusters
	}
	size := int(min(max(l.Cluster.Count(), 1), 2*maxClusters))
	if size > most {
		return most, 0, InvalidClusterSize
	}
	return most, f.resident(sizes, on.registers, threads, int(l.Shared)) * processors(sizes) / size, Success
}
