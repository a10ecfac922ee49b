package main

// What a child does: it answers calls with a driver, one at a time and on one thread, until its input
// ends.

import (
	"errors"
	"io"
	"net/rpc"
	"net/rpc/jsonrpc"

	"ptxvm.invalid/ptxvm"
)

// gpu is a driver as net/rpc calls it; what has no address is a number from 0.
type gpu struct {
	open    func() (Driver, error)
	d       Driver
	modules []Module
	arrays  []Array
}

// serve answers the calls of a connection.
func serve(conn io.ReadWriteCloser, open func() (Driver, error)) error {
	s := rpc.NewServer()
	if err := s.RegisterName("GPU", &gpu{open: open}); err != nil {
		return err
	}
	codec := jsonrpc.NewServerCodec(conn)
	for {
		if err := s.ServeRequest(codec); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// Open loads the driver.
func (g *gpu) Open(_ int, o *Opened) (err error) {
	g.d, err = g.open()
	if errors.Is(err, errNoDriver) {
		o.Missing = err.Error()
		return nil
	}
	if err == nil {
		o.Device = g.d.Device()
	}
	return err
}

// Alloc is Driver.Alloc; the methods that follow are likewise those of Driver, Module and Array.
func (g *gpu) Alloc(n int, a *Address) (err error) {
	*a, err = g.d.Alloc(n)
	return err
}

// Free frees memory.
func (g *gpu) Free(a Address, _ *int) error { return g.d.Free(a) }

// Write fills memory.
func (g *gpu) Write(b Block, _ *int) error { return g.d.Write(b.At, b.Data) }

// Read reads memory.
func (g *gpu) Read(b Block, data *[]byte) error {
	*data = make([]byte, b.Length)
	return g.d.Read(b.At, *data)
}

// Load loads an image.
func (g *gpu) Load(image []byte, handle *int) error {
	m, err := g.d.Load(image)
	*handle = len(g.modules)
	g.modules = append(g.modules, m)
	return err
}

// Unload unloads it.
func (g *gpu) Unload(handle int, _ *int) error { return g.modules[handle].Unload() }

// Launch launches a kernel; a fault of it is an answer.
func (g *gpu) Launch(c Call, fault *string) error {
	err := g.modules[c.Module].Launch(c.Kernel, c.Grid, c.Block, c.Args)
	if isFault(err) {
		*fault = err.Error()
		return nil
	}
	return err
}

// NewArray makes an array.
func (g *gpu) NewArray(s Shape, m *Made) error {
	format, err := ptxvm.ParseSampleFormat(s.Format)
	if err != nil {
		return err
	}
	a, err := g.d.NewArray(ptxvm.ArrayDesc{Geometry: s.Geometry, Size: s.Size, Format: format})
	if err != nil {
		return err
	}
	*m = Made{len(g.arrays), a.Surface()}
	g.arrays = append(g.arrays, a)
	return nil
}

// FreeArray frees it.
func (g *gpu) FreeArray(handle int, _ *int) error { return g.arrays[handle].Free() }

// WriteArray fills it.
func (g *gpu) WriteArray(b Block, _ *int) error { return g.arrays[b.Array].Write(b.Data) }

// ReadArray reads it.
func (g *gpu) ReadArray(b Block, data *[]byte) error {
	*data = make([]byte, b.Length)
	return g.arrays[b.Array].Read(*data)
}
