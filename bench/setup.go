package main

// What the figures start from: files of the repository, devices and kernels.

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"ptxvm.invalid/ptxvm"
)

// root is the folder of go.mod above the working directory.
func root() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
			return dir, nil
		}
		if filepath.Dir(dir) == dir {
			err = fmt.Errorf("run this inside the repository")
		}
		dir = filepath.Dir(dir)
	}
	return "", err
}

// inside is a path of the repository.
func inside(b *testing.B, path string) string {
	dir, err := root()
	if err != nil {
		b.Fatal(err)
	}
	return filepath.Join(dir, filepath.FromSlash(path))
}

func read(b *testing.B, path string) []byte {
	src, err := os.ReadFile(inside(b, path))
	if err != nil {
		b.Fatal(err)
	}
	return src
}

func device(b *testing.B, cfg ptxvm.DeviceConfig) *ptxvm.Device {
	cfg.Memory = 1 << 28
	d, err := ptxvm.NewDevice(&cfg)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { d.Close() })
	return d
}

func load(d *ptxvm.Device, name string, src []byte) (*ptxvm.Program, error) {
	m, err := ptxvm.Compile(name, src, nil)
	if err != nil {
		return nil, err
	}
	return d.Load(m)
}

// kernel loads the module of one kernel of testdata/cuda.
func kernel(b *testing.B, cfg ptxvm.DeviceConfig, name string) (*ptxvm.Device, *ptxvm.Kernel) {
	return kernelOf(b, cfg, "testdata/cuda", name)
}

// kernelOf loads the module of one kernel of a folder.
func kernelOf(b *testing.B, cfg ptxvm.DeviceConfig, folder, name string) (*ptxvm.Device, *ptxvm.Kernel) {
	d := device(b, cfg)
	p, err := load(d, name, read(b, folder+"/"+name+".sm_90.ptx"))
	if err != nil {
		b.Fatal(err)
	}
	k, err := p.Kernel(name)
	if err != nil {
		b.Fatal(err)
	}
	return d, k
}

func alloc(b *testing.B, d *ptxvm.Device, n int) ptxvm.Buffer {
	buf, err := d.Alloc(n)
	if err != nil {
		b.Fatal(err)
	}
	return buf
}

// picture is the handle of a new array of u8x4.
func picture(b *testing.B, d *ptxvm.Device, width, height int) ptxvm.Surface {
	format, err := ptxvm.ParseSampleFormat("u8x4")
	if err != nil {
		b.Fatal(err)
	}
	a, err := d.NewArray(ptxvm.ArrayDesc{Geometry: ptxvm.Array2D, Size: []int{width, height}, Format: format})
	if err != nil {
		b.Fatal(err)
	}
	return a.Surface()
}
