package kernels

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
)

// expected is what the references in C make of the small inputs: "kernel buffer" to a summary.
func expected(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("small.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if part := strings.SplitN(strings.TrimSpace(line), " ", 3); part[0] != "#" {
			want[part[0]+" "+part[1]] = part[2]
		}
	}
	return want
}

// Both engines give what C gives, and the same bytes as each other.
func TestSmall(t *testing.T) {
	want := expected(t)
	for _, k := range All() {
		t.Run(k.Name, func(t *testing.T) {
			r := k.Make(k.Small)
			slow, fast := execute(t, k, r, ptxvm.Interp), execute(t, k, r, ptxvm.JIT)
			for i, b := range r.Buffers {
				if err := Matches(slow[i], b, want[k.Name+" "+b.Name]); err != nil {
					t.Errorf("interpreted: %v", err)
				}
				if !bytes.Equal(slow[i], fast[i]) {
					t.Errorf("compiled: %v", (&corpus.Buffer{Name: b.Name, Elem: b.Elem, Want: slow[i]}).Check(fast[i]))
				}
			}
		})
	}
}

// execute runs the launches of a kernel twice, as compiled code may take another way when it knows a kernel, and
// returns what is in the buffers.
func execute(t *testing.T, k Kernel, r *corpus.Run, engine ptxvm.Engine) (got [][]byte) {
	t.Helper()
	d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Workers: 1, Memory: 1 << 26, Engine: engine})
	if errors.Is(err, ptxvm.ErrNoJIT) {
		t.Skip("no compiled code on this processor")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	src, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(k.PTX())))
	if err != nil {
		t.Fatal(err)
	}
	m, err := ptxvm.Compile(k.Name+".ptx", src, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	buffers := map[*corpus.Buffer]ptxvm.Buffer{}
	for _, b := range r.Buffers {
		if buffers[b], err = d.Alloc(len(b.Init)); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		got = round(t, p, r, buffers)
	}
	return got
}

// round fills the buffers, launches, and reads them.
func round(t *testing.T, p *ptxvm.Program, r *corpus.Run, buffers map[*corpus.Buffer]ptxvm.Buffer) (got [][]byte) {
	t.Helper()
	for _, b := range r.Buffers {
		if _, err := buffers[b].WriteAt(b.Init, 0); err != nil {
			t.Fatal(err)
		}
	}
	for _, l := range r.Launches {
		k, err := p.Kernel(l.Kernel)
		if err != nil {
			t.Fatal(err)
		}
		args := list(len(l.Args), func(i int) any {
			if a := l.Args[i]; a.Buffer == nil {
				return a.Scalar
			}
			return buffers[l.Args[i].Buffer]
		})
		if _, err := k.Launch(context.Background(), ptxvm.Launch{Grid: dim(l.Grid), Block: dim(l.Block), Shared: l.Shared}, args...); err != nil {
			t.Fatal(err)
		}
	}
	for _, b := range r.Buffers {
		p := make([]byte, len(b.Init))
		if _, err := buffers[b].ReadAt(p, 0); err != nil {
			t.Fatal(err)
		}
		got = append(got, p)
	}
	return got
}

func dim(n [3]int) ptxvm.Dim3 { return ptxvm.Dim3{X: uint32(n[0]), Y: uint32(n[1]), Z: uint32(n[2])} }

// Names are unique, files are there, sizes differ, and both halves are about as large.
func TestTable(t *testing.T) {
	seen, tuned := map[string]bool{}, 0
	for _, k := range All() {
		if seen[k.Name] {
			t.Errorf("%s twice", k.Name)
		}
		if seen[k.Name] = true; k.Tuned() {
			tuned++
		}
		if k.Small >= k.Large {
			t.Errorf("%s: sizes %d and %d", k.Name, k.Small, k.Large)
		}
		for _, path := range []string{k.PTX(), k.Reference()} {
			if _, err := os.Stat(filepath.Join("..", "..", path)); err != nil {
				t.Error(err)
			}
		}
	}
	if n := len(seen); 3*tuned < n || 3*tuned > 2*n {
		t.Errorf("%d of %d kernels are tuned on", tuned, n)
	}
}

// Sixteen kernels at least are in OpenCL C, too: of the tuned half, each with one launch, which is what bench/opencl/host.c makes.
func TestOpenCL(t *testing.T) {
	n := 0
	for _, k := range All() {
		text, err := os.ReadFile(filepath.Join("..", "..", k.OpenCL()))
		if err != nil {
			continue
		}
		n++
		if !k.Tuned() || len(k.Make(k.Small).Launches) != 1 || !strings.Contains(string(text), "kernel void once(") {
			t.Errorf("%s: tuned %v, %d launches, or no kernel once", k.Name, k.Tuned(), len(k.Make(k.Small).Launches))
		}
	}
	if n < 16 {
		t.Errorf("%d kernels are in OpenCL C", n)
	}
}
