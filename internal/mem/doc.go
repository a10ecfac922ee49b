// Package mem holds the memory of an emulated device: the arena of global memory with precise
// bounds, the generic address windows, memory outside the Go heap, the device's malloc heap,
// and accesses and atomics on single elements.
//
// A device address becomes a host address by unsafe.Add(arena.Base(), addr-arena.First()).
// Unless a host program shares them (Config.Identity), device addresses start at a fixed constant, so they
// are the same in every run and on every platform.
package mem
