package main

// What the oracle asks of a GPU. The real one is cuda_linux.go, in a process of its own (child.go);
// tests have one that runs PTX on ptxvm.

import (
	"encoding/binary"
	"errors"
	"fmt"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/isa"
)

// errNoDriver says that there is no GPU to ask.
var errNoDriver = errors.New("no CUDA driver")

// Driver is one device with a context. It is used by one goroutine.
type Driver interface {
	Device() Device
	Load(image []byte) (Module, error) // a cubin
	Alloc(bytes int) (Address, error)  // device memory
	Free(Address) error
	Write(to Address, data []byte) error
	Read(from Address, data []byte) error
	NewArray(ptxvm.ArrayDesc) (Array, error) // for surfaces; the name is not used
	Close() error
}

// Array is an image on the device: its bytes are [slice or layer][row][sample][channel].
type Array interface {
	Surface() uint64 // the handle that kernels take
	Write(data []byte) error
	Read(data []byte) error
	Free() error
}

// kernelFault is a launch that ended because of what the kernel did. Its context is lost.
type kernelFault struct{ error }

// isFault tells a fault of the kernel from a mistake in calling the driver.
func isFault(err error) bool {
	var f kernelFault
	return errors.As(err, &f)
}

// Device says what the driver found.
type Device struct {
	Name   string
	Target string // "sm_90"
}

// Address is a place in device memory.
type Address uint64

// param is an address as a kernel's parameter.
func (a Address) param() []byte { return binary.LittleEndian.AppendUint64(nil, uint64(a)) }

// Module is a loaded image.
type Module interface {
	// Launch runs a kernel and waits for its end. Each argument is the bytes of one parameter.
	// A fault of the kernel is a kernelFault.
	Launch(kernel string, grid, block [3]uint32, args [][]byte) error
	Unload() error
}

// Assembler makes an image of a PTX module for a target.
type Assembler func(ptx string, target isa.Target) (image []byte, err error)

// machine is a device with what makes images for it.
type machine struct {
	open     func() (Driver, error) // a fresh context; a fault ends the one before
	driver   Driver
	assemble Assembler
	target   isa.Target // of the images: the device's own, with its architecture-specific forms
	arrays   arrays     // of the context
}

// start opens the device.
func start(open func() (Driver, error), assemble Assembler) (*machine, error) {
	d, err := open()
	if err != nil {
		return nil, err
	}
	target, err := isa.ParseTarget(d.Device().Target)
	if err != nil {
		return nil, fmt.Errorf("the device %s: %w", d.Device().Name, err)
	}
	if specific, err := isa.ParseTarget(d.Device().Target + "a"); err == nil {
		target = specific
	}
	return &machine{open: open, driver: d, assemble: assemble, target: target}, nil
}

// restart gives the device a new context after a fault. Without one, the machine has the lost one.
func (m *machine) restart() error {
	_ = m.driver.Close() // of a context that is lost already
	m.arrays = nil
	d, err := m.open()
	if err == nil {
		m.driver = d
	}
	return err
}

// buffer allocates memory with contents.
func (m *machine) buffer(data []byte) (Address, error) {
	a, err := m.driver.Alloc(len(data))
	if err != nil {
		return 0, err
	}
	return a, m.driver.Write(a, data)
}
