package main

// The driver lives in a child process, one for each context: after a launch that faulted, CUDA's
// driver (580) refuses every context of the process, whether the primary one is reset or another is
// made. A new process takes a third of a second.

import (
	"errors"
	"fmt"
	"io"
	"net/rpc"
	"net/rpc/jsonrpc"
	"os"
	"os/exec"

	"ptxvm.invalid/ptxvm"
)

// childVerb is the command line of a child.
const childVerb = "device"

// Block is a part of memory, or the whole of an array.
type Block struct {
	At     Address
	Array  int
	Data   []byte
	Length int // of what is read
}

// Call is a launch.
type Call struct {
	Module      int
	Kernel      string
	Grid, Block [3]uint32
	Args        [][]byte
}

// Shape is a ptxvm.ArrayDesc.
type Shape struct {
	Geometry ptxvm.Geometry
	Size     []int
	Format   string
}

// Made is an array of a child.
type Made struct {
	Array   int
	Surface uint64
}

// Opened is what a child says first.
type Opened struct {
	Device
	Missing string // why there is no device
}

// child is a Driver whose calls another process answers.
type child struct {
	calls  *rpc.Client
	device Device
	end    func() error // waits for the process
}

// openChild starts this program once more, as a child.
func openChild() (Driver, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(program, childVerb)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return connect(duplex{out, in}, cmd.Wait)
}

// connect greets a child.
func connect(conn io.ReadWriteCloser, end func() error) (Driver, error) {
	c := &child{calls: jsonrpc.NewClient(conn), end: end}
	var o Opened
	err := c.call("Open", 0, &o)
	if err == nil && o.Missing != "" {
		err = fmt.Errorf("%w: %s", errNoDriver, o.Missing)
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	c.device = o.Device
	return c, nil
}

func (c *child) call(method string, args, reply any) error {
	return c.calls.Call("GPU."+method, args, reply)
}

// order is a call that answers nothing.
func (c *child) order(method string, args any) error { return c.call(method, args, new(int)) }

func (c *child) Device() Device { return c.device }

func (c *child) Alloc(n int) (a Address, err error) { return a, c.call("Alloc", n, &a) }
func (c *child) Free(a Address) error               { return c.order("Free", a) }

func (c *child) Write(to Address, data []byte) error {
	return c.order("Write", Block{At: to, Data: data})
}

func (c *child) Read(from Address, data []byte) error {
	return c.read("Read", Block{At: from, Length: len(data)}, data)
}

// read copies what a child answers.
func (c *child) read(method string, b Block, data []byte) error {
	var have []byte
	if err := c.call(method, b, &have); err != nil {
		return err
	}
	copy(data, have)
	return nil
}

// Close ends the process: its input ends.
func (c *child) Close() error { return errors.Join(c.calls.Close(), c.end()) }

// childModule is an image of a child.
type childModule struct {
	c      *child
	handle int
}

func (c *child) Load(image []byte) (Module, error) {
	m := &childModule{c: c}
	return m, c.call("Load", image, &m.handle)
}

func (m *childModule) Unload() error { return m.c.order("Unload", m.handle) }

func (m *childModule) Launch(kernel string, grid, block [3]uint32, args [][]byte) error {
	var fault string
	err := m.c.call("Launch", Call{m.handle, kernel, grid, block, args}, &fault)
	if err == nil && fault != "" {
		err = kernelFault{errors.New(fault)}
	}
	return err
}

// childArray is an array of a child.
type childArray struct {
	c *child
	Made
}

func (c *child) NewArray(desc ptxvm.ArrayDesc) (Array, error) {
	a := &childArray{c: c}
	return a, c.call("NewArray", Shape{desc.Geometry, desc.Size, desc.Format.String()}, &a.Made)
}

func (a *childArray) Surface() uint64 { return a.Made.Surface }
func (a *childArray) Free() error     { return a.c.order("FreeArray", a.Array) }

func (a *childArray) Write(data []byte) error {
	return a.c.order("WriteArray", Block{Array: a.Array, Data: data})
}

func (a *childArray) Read(data []byte) error {
	return a.c.read("ReadArray", Block{Array: a.Array, Length: len(data)}, data)
}

// duplex is the two pipes of a process.
type duplex struct {
	io.Reader
	io.WriteCloser
}
