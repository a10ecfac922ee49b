//go:build amd64 || arm64

package main

// The CUDA driver API, loaded when the program runs: no header, no cgo.

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/ebitengine/purego"
)

// cuda is the driver's functions; names and signatures are those of the driver API, with the
// version suffix of the symbols.
type cuda struct {
	init          func(flags uint32) int32
	errorName     func(code int32, name **byte) int32
	deviceGet     func(device *int32, ordinal int32) int32
	deviceName    func(name *byte, length, device int32) int32
	attribute     func(value *int32, attribute, device int32) int32
	retain        func(context *uintptr, device int32) int32
	reset         func(device int32) int32
	setCurrent    func(context uintptr) int32
	synchronize   func() int32
	moduleLoad    func(module *uintptr, image *byte) int32
	moduleUnload  func(module uintptr) int32
	getFunction   func(function *uintptr, module uintptr, name *byte) int32
	memAlloc      func(address *uint64, bytes uintptr) int32
	memFree       func(address uint64) int32
	copyToDevice  func(to uint64, from *byte, bytes uintptr) int32
	copyFromThere func(to *byte, from uint64, bytes uintptr) int32
	arrayCreate   func(array *uintptr, d *arrayDescriptor) int32
	arrayDestroy  func(array uintptr) int32
	copy3D        func(d *copyDescriptor) int32
	surfaceCreate func(surface *uint64, d *resourceDescriptor) int32
	surfaceDelete func(surface uint64) int32
	launch        func(function uintptr, gx, gy, gz, bx, by, bz, shared uint32, stream uintptr, params *uintptr, extra uintptr) int32

	device int32
	info   Device
}

// libraries are the names of the driver's library.
var libraries = []string{"libcuda.so.1", "libcuda.so"}

// Attributes of a device (CUdevice_attribute).
const (
	attributeMajor = 75
	attributeMinor = 76
)

// openCUDA loads the driver and makes a context on its first device.
func openCUDA() (Driver, error) {
	runtime.LockOSThread() // the context is current to a thread
	c := &cuda{}
	if err := c.bind(); err != nil {
		return nil, err
	}
	var context uintptr
	for _, step := range []struct {
		what string
		do   func() int32
	}{
		{"cuInit", func() int32 { return c.init(0) }},
		{"cuDeviceGet", func() int32 { return c.deviceGet(&c.device, 0) }},
		{"cuDevicePrimaryCtxRetain", func() int32 { return c.retain(&context, c.device) }},
		{"cuCtxSetCurrent", func() int32 { return c.setCurrent(context) }},
	} {
		if err := c.check(step.what, step.do()); err != nil {
			return nil, err
		}
	}
	return c, c.describe()
}

// bind finds the library and its functions.
func (c *cuda) bind() error {
	var lib uintptr
	var errs []error
	for _, name := range libraries {
		var err error
		if lib, err = purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_GLOBAL); err == nil {
			break
		}
		errs = append(errs, err)
	}
	if lib == 0 {
		return fmt.Errorf("%w: %w", errNoDriver, errors.Join(errs...))
	}
	for name, f := range map[string]any{
		"cuInit": &c.init, "cuGetErrorName": &c.errorName, "cuDeviceGet": &c.deviceGet, "cuDeviceGetName": &c.deviceName,
		"cuDeviceGetAttribute": &c.attribute, "cuDevicePrimaryCtxRetain": &c.retain, "cuDevicePrimaryCtxReset_v2": &c.reset,
		"cuCtxSetCurrent": &c.setCurrent, "cuCtxSynchronize": &c.synchronize, "cuModuleLoadData": &c.moduleLoad,
		"cuModuleUnload": &c.moduleUnload, "cuModuleGetFunction": &c.getFunction, "cuMemAlloc_v2": &c.memAlloc, "cuMemFree_v2": &c.memFree,
		"cuMemcpyHtoD_v2": &c.copyToDevice, "cuMemcpyDtoH_v2": &c.copyFromThere, "cuLaunchKernel": &c.launch,
		"cuArray3DCreate_v2": &c.arrayCreate, "cuArrayDestroy": &c.arrayDestroy, "cuMemcpy3D_v2": &c.copy3D,
		"cuSurfObjectCreate": &c.surfaceCreate, "cuSurfObjectDestroy": &c.surfaceDelete,
	} {
		symbol, err := purego.Dlsym(lib, name)
		if err != nil {
			return fmt.Errorf("%w: %w", errNoDriver, err)
		}
		purego.RegisterFunc(f, symbol)
	}
	return nil
}

// check turns a result code into an error; 0 is none.
func (c *cuda) check(what string, code int32) error {
	if code == 0 {
		return nil
	}
	var name *byte
	if c.errorName(code, &name) != 0 || name == nil {
		return fmt.Errorf("%s: error %d", what, code)
	}
	return fmt.Errorf("%s: %s", what, goString(name))
}

// describe asks for the device's name and target.
func (c *cuda) describe() error {
	name := make([]byte, 256)
	var major, minor int32
	err := errors.Join(c.check("cuDeviceGetName", c.deviceName(&name[0], int32(len(name)), c.device)),
		c.check("cuDeviceGetAttribute", c.attribute(&major, attributeMajor, c.device)),
		c.check("cuDeviceGetAttribute", c.attribute(&minor, attributeMinor, c.device)))
	if end := bytes.IndexByte(name, 0); end >= 0 {
		name = name[:end]
	}
	c.info = Device{string(name), fmt.Sprintf("sm_%d", 10*major+minor)}
	return err
}

func (c *cuda) Device() Device { return c.info }

func (c *cuda) Alloc(n int) (Address, error) {
	var a uint64
	err := c.check("cuMemAlloc", c.memAlloc(&a, uintptr(max(n, 1))))
	return Address(a), err
}

func (c *cuda) Free(a Address) error { return c.check("cuMemFree", c.memFree(uint64(a))) }

func (c *cuda) Write(to Address, data []byte) error {
	if len(data) == 0 {
		return nil
	}
	return c.check("cuMemcpyHtoD", c.copyToDevice(uint64(to), &data[0], uintptr(len(data))))
}

func (c *cuda) Read(from Address, data []byte) error {
	if len(data) == 0 {
		return nil
	}
	return c.check("cuMemcpyDtoH", c.copyFromThere(&data[0], uint64(from), uintptr(len(data))))
}

// Close destroys the context. After a fault the process has no further one (child.go).
func (c *cuda) Close() error {
	return c.check("cuDevicePrimaryCtxReset", c.reset(c.device))
}

// cudaModule is an image on the device.
type cudaModule struct {
	c      *cuda
	handle uintptr
}

func (c *cuda) Load(image []byte) (Module, error) {
	m := &cudaModule{c: c}
	err := c.check("cuModuleLoadData", c.moduleLoad(&m.handle, &image[0]))
	return m, err
}

func (m *cudaModule) Unload() error { return m.c.check("cuModuleUnload", m.c.moduleUnload(m.handle)) }

func (m *cudaModule) Launch(kernel string, grid, block [3]uint32, args [][]byte) error {
	var function uintptr
	name := append([]byte(kernel), 0)
	if err := m.c.check("cuModuleGetFunction "+kernel, m.c.getFunction(&function, m.handle, &name[0])); err != nil {
		return err
	}
	params := pointers(args)
	code := m.c.launch(function, grid[0], grid[1], grid[2], block[0], block[1], block[2], 0, 0, &params[0], 0)
	runtime.KeepAlive(args)
	if err := m.c.check("cuLaunchKernel", code); err != nil {
		return err
	}
	code = m.c.synchronize()
	err := m.c.check("cuCtxSynchronize", code)
	if slices.Contains(faults, code) {
		return kernelFault{err}
	}
	return err
}
