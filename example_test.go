package ptxvm_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"ptxvm.invalid/ptxvm"
)

// header begins the modules of the examples.
const header = ".version 8.0\n.target sm_75\n.address_size 64\n"

// load compiles a module and puts it on a device of its own.
func load(source string, cfg ptxvm.DeviceConfig) (*ptxvm.Device, *ptxvm.Program, error) {
	m, err := ptxvm.Compile("example.ptx", []byte(header+source), nil)
	if err != nil {
		return nil, nil, err
	}
	cfg.Memory = 64 << 20
	d, err := ptxvm.NewDevice(&cfg)
	if err != nil {
		return nil, nil, err
	}
	p, err := d.Load(m)
	return d, p, err
}

// doubling doubles n floats.
const doubling = `
.visible .entry double(.param .u64 x, .param .u32 n)
{
	.reg .pred %p;
	.reg .b32 %i, %n;
	.reg .b64 %x, %o;
	.reg .f32 %f;
	ld.param.u64 %x, [x];
	ld.param.u32 %n, [n];
	mov.u32 %i, %tid.x;
	setp.ge.u32 %p, %i, %n;
	@%p ret;
	mul.wide.u32 %o, %i, 4;
	add.u64 %x, %x, %o;
	ld.global.f32 %f, [%x];
	add.f32 %f, %f, %f;
	st.global.f32 [%x], %f;
	ret;
}`

func Example() {
	m, err := ptxvm.Compile("double.ptx", []byte(header+doubling), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Arch: m.Target(), Memory: 64 << 20})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()
	p, err := d.Load(m)
	if err != nil {
		fmt.Println(err)
		return
	}
	k, err := p.Kernel("double")
	if err != nil {
		fmt.Println(err)
		return
	}
	xs := []float32{1, 2.5, -3}
	x, err := ptxvm.Upload(d, xs)
	if err != nil {
		fmt.Println(err)
		return
	}
	stats, err := k.Launch(context.Background(), ptxvm.Launch{Block: ptxvm.Dim3{X: 32}}, x, uint32(len(xs)))
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := ptxvm.Download(x, xs); err != nil {
		fmt.Println(err)
	}
	fmt.Println(xs, stats.CTAs)
	// Output: [2 5 -6] 1
}

func ExampleDevice_NewArray() {
	d, p, err := load(`.global .surfref picture;
.entry k(.param .u64 handle)
{
	.reg .b64 h;
	.reg .b32 x, v;
	ld.param.u64 h, [handle];
	mov.u32 x, %tid.x;
	suld.b.1d.b8.zero v, [picture, {x}];
	sust.b.1d.b8.zero [h, {x}], v;
	ret;
}`, ptxvm.DeviceConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()
	// The first array is bound to the .surfref of its name, the second passed as a handle.
	from, err := d.NewArray(ptxvm.ArrayDesc{Name: "picture", Geometry: ptxvm.Array1D, Size: []int{3}})
	if err != nil {
		fmt.Println(err)
		return
	}
	to, err := d.NewArray(ptxvm.ArrayDesc{Geometry: ptxvm.Array1D, Size: []int{5}})
	if err != nil {
		fmt.Println(err)
		return
	}
	k, _ := p.Kernel("")
	err = from.Write([]byte{7, 8, 9})
	_, launched := k.Launch(context.Background(), ptxvm.Launch{Block: ptxvm.Dim3{X: 32}}, to.Surface())
	data := make([]byte, to.Len())
	fmt.Println(errors.Join(err, launched, to.Read(data)), data)
	// Output: <nil> [7 8 9 0 0]
}

func ExampleCompile_diagnostics() {
	_, err := ptxvm.Compile("bad.ptx", []byte(header+".entry k() { .reg .f64 f; add.sat.f64 f, f, f; ret; }"), nil)
	var diags ptxvm.Diagnostics
	if errors.As(err, &diags) {
		fmt.Println(diags[0].Code, diags[0].Severity)
	}
	// Output: P3004 error
}

func ExampleFault() {
	d, p, err := load(doubling, ptxvm.DeviceConfig{Workers: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()
	k, _ := p.Kernel("")
	x, _ := d.Alloc(12)
	_, err = k.Launch(context.Background(), ptxvm.Launch{Block: ptxvm.Dim3{X: 32}}, x, uint32(4))
	var fault *ptxvm.Fault
	if errors.As(err, &fault) {
		fmt.Println(fault.Code, fault.Kernel, fault.Thread, fault.PTX, fault.Near.Distance, fault.Near.Param)
	}
	// The device goes on.
	_, err = k.Launch(context.Background(), ptxvm.Launch{Block: ptxvm.Dim3{X: 32}}, x, uint32(3))
	fmt.Println(err)
	// Output:
	// P7001 double (3,0,0) example.ptx:18:2 0 x
	// <nil>
}

func ExampleDeadlockError() {
	d, p, err := load(`.entry k() { .reg .pred p; .reg .b32 t; mov.u32 t, %tid.x; setp.eq.u32 p, t, 0; @p bar.sync 0, 64; ret; }`, ptxvm.DeviceConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()
	k, _ := p.Kernel("k")
	_, err = k.Launch(context.Background(), ptxvm.Launch{Block: ptxvm.Dim3{X: 32}})
	var deadlock *ptxvm.DeadlockError
	if errors.As(err, &deadlock) {
		fmt.Println(deadlock.Kernel, len(deadlock.Waiters), deadlock.Waiters[0].PTX.Line)
	}
	// Output: k 1 4
}

func ExampleUnsupportedError() {
	d, p, err := load(`.entry k() { .reg .f64 d<2>; rcp.rz.ftz.f64 d0, d1; ret; }`, ptxvm.DeviceConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()
	k, _ := p.Kernel("k")
	_, err = k.Launch(context.Background(), ptxvm.Launch{})
	var unsupported *ptxvm.UnsupportedError
	if errors.As(err, &unsupported) {
		for _, f := range unsupported.Forms {
			fmt.Println(f.Text, f.Section, f.Count, f.Line)
		}
	}
	// Output: rcp.rz.ftz.f64 9.7.3.13 1 4
}

func ExampleProgram_Global() {
	d, p, err := load(`.visible .global .u32 counter = 41; .entry k() { .reg .b32 r; atom.global.add.u32 r, [counter], 1; ret; }`, ptxvm.DeviceConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()
	k, _ := p.Kernel("k")
	if _, err := k.Launch(context.Background(), ptxvm.Launch{}); err != nil {
		fmt.Println(err)
	}
	b, _ := p.Global("counter")
	counter := make([]uint32, 1)
	fmt.Println(ptxvm.Download(b, counter), counter)
	// Output: <nil> [42]
}

func ExampleUpload() {
	d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Memory: 1 << 20})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()
	b, err := ptxvm.Upload(d, []ptxvm.Float16{0x3c00, 0x4000, 0x4200})
	if err != nil {
		fmt.Println(err)
		return
	}
	tail := make([]ptxvm.Float16, 2)
	err = ptxvm.Download(b.Slice(2, 6), tail)
	fmt.Printf("%d bytes, %#x, %v\n", b.Len(), tail, err)
	fmt.Println(ptxvm.Download(b.Slice(0, 2), tail))
	// Output:
	// 6 bytes, [0x4000 0x4200], <nil>
	// ptxvm: a download of 4 bytes (2 values) from a buffer of 2
}

func ExampleDeviceConfig_stdout() {
	src, err := os.ReadFile("testdata/cuda/printf.sm_75.ptx")
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := ptxvm.Compile("printf.ptx", src, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Stdout: os.Stdout, Memory: 64 << 20})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()
	p, _ := d.Load(m)
	k, _ := p.Kernel("hello")
	if _, err := k.Launch(context.Background(), ptxvm.Launch{Block: ptxvm.Dim3{X: 2}}, int32(1)); err != nil {
		fmt.Println(err)
	}
	// Output: block 0 thread 1 of 2
}
