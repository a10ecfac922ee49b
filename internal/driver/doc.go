// Package driver is a CUDA driver on emulated devices, without C: memory by address, modules, streams as
// queues, events and launches, with CUDA's error codes. The libraries that programs load (libcudart,
// libcuda) are thin fronts of it; see cmd/libptxvm.
//
// A call enqueues and returns, as on a device. Each stream is a queue whose items run in order; an item may
// also wait for items of other streams (events, the legacy default stream). A goroutine that waits for a stream runs
// its items itself if no other does, so that a launch followed by a synchronisation changes no thread.
//
// Device addresses are host addresses (vm.DeviceConfig.HostPointers), so managed and pinned memory need
// no copies.
package driver
