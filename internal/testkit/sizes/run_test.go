package sizes

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
)

var full = flag.Bool("full", false, "execute every cell in every way")

// share is the part of the ways of a cell that are executed without -full: one in so many. Each
// cell has at least as many.
const share = 9

// bench is a device with the buffers of every launch.
type bench struct {
	d       *ptxvm.Device
	in, out ptxvm.Buffer
}

func newBench(t *testing.T) *bench {
	t.Helper()
	d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Arch: "sm_100", Workers: 1, Memory: 4 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	b := &bench{d: d}
	for at, n := range map[*ptxvm.Buffer]int{&b.in: lanes * rowSize, &b.out: outSize} {
		if *at, err = d.Alloc(n); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// perModule is the number of kernels of a module.
const perModule = 64

// run executes kernels and compares what they keep.
func (b *bench) run(t *testing.T, kernels []Kernel) {
	t.Helper()
	for group := range slices.Chunk(kernels, perModule) {
		b.module(t, group)
	}
}

func (b *bench) module(t *testing.T, kernels []Kernel) {
	t.Helper()
	source := strings.Builder{}
	source.WriteString(header)
	for _, k := range kernels {
		source.WriteString(k.Text)
	}
	m, err := ptxvm.Compile("cells.ptx", []byte(source.String()), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := b.d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Unload()
	empty, got := bytes.Repeat([]byte{filler}, outSize), make([]byte, outSize)
	for _, k := range kernels {
		if err := b.launch(p, &k, empty, got); err != nil {
			t.Errorf("%s: %v", k.Name, err)
			continue
		}
		if at := differs(got, k.Want); at >= 0 {
			row := at / rowSize
			t.Errorf("%s: lane %d, row %d:\ngot  %x\nwant %x\n%s", k.Name, row/repeats, row%repeats,
				got[row*rowSize:][:rowSize], k.Want[row*rowSize:][:rowSize], k.Text)
		}
	}
}

func (b *bench) launch(p *ptxvm.Program, k *Kernel, empty, got []byte) error {
	kernel, err := p.Kernel(k.Name)
	if err != nil {
		return err
	}
	if _, err := b.in.WriteAt(k.In, 0); err != nil {
		return err
	}
	if _, err := b.out.WriteAt(empty, 0); err != nil {
		return err
	}
	launch := ptxvm.Launch{Block: ptxvm.Dim3{X: lanes}}
	if _, err := kernel.Launch(context.Background(), launch, b.in, b.out, k.In[:repeats*rowSize]); err != nil {
		return err
	}
	_, err = b.out.ReadAt(got, 0)
	return err
}

// differs is the first byte in which two results differ, -1 if there is none.
func differs(got, want []byte) int {
	for i := range got {
		if got[i] != want[i] {
			return i
		}
	}
	return -1
}

// vectorLengths of the loads and stores; 1 is none.
var vectorLengths = []int{1, 2, 4, 8}

// TestLoadCells executes every legal cell of table 28 with ld: each way to find an address, each
// state space, with and without vectors.
func TestLoadCells(t *testing.T) {
	b := newBench(t)
	memories := map[int][]byte{}
	for _, inst := range Types {
		memories[inst.Bits] = memory(inst.Bits)
	}
	cells(t, b, loadWays, Destination, func(w *way, name string, inst, reg Type, count int) Kernel {
		return w.load(name, inst, reg, count, memories[inst.Bits])
	})
}

// TestStoreCells executes every legal cell of table 27 with st.
func TestStoreCells(t *testing.T) {
	b := newBench(t)
	rows := map[int][]byte{}
	for _, inst := range Types {
		rows[inst.Bits] = registers(inst.Bits)
	}
	cells(t, b, storeWays, Source, func(w *way, name string, inst, reg Type, count int) Kernel {
		return w.store(name, inst, reg, count, rows[inst.Bits])
	})
}

func cells(t *testing.T, b *bench, ways []way, rule func(inst, reg Type) Cell, kernel func(w *way, name string, inst, reg Type, count int) Kernel) {
	n := 0
	for i := range ways {
		var list []Kernel
		for j, count := range vectorLengths {
			for k, c := range fitting(rule) {
				if memoryType(c[0], count) && ways[i].takes(c[0], count) && (*full || (i+2*j+k)%share == 0) {
					name := fmt.Sprintf("%s_v%d_%v_%v", ways[i].name, count, c[0], c[1])
					list = append(list, kernel(&ways[i], name, c[0], c[1], count))
				}
			}
		}
		b.run(t, list)
		n += len(list)
	}
	t.Logf("%d kernels", n)
}

// TestConvertCells executes every legal cell of tables 27 and 28 with cvt, per lane and on a
// register that all lanes share.
func TestConvertCells(t *testing.T) {
	b := newBench(t)
	for _, dst := range []bool{false, true} {
		rule, conversions := Source, sources
		if dst {
			rule, conversions = Destination, destinations
		}
		var list []Kernel
		for _, c := range fitting(rule) {
			if c[0].Kind == 'b' { // cvt has no bit-size types
				continue
			}
			for i, conv := range conversions(c[0], c[1]) {
				for j, uniform := range []bool{false, true} {
					if (i+j)%2 == 0 && !*full {
						continue
					}
					name := fmt.Sprintf("cvt_%v_%v_%d", c[0], c[1], len(list))
					list = append(list, convert(name, conv.statement, conv.reg, dst, uniform, conv.in, conv.bits, conv.want))
				}
			}
		}
		b.run(t, list)
		t.Logf("%d kernels", len(list))
	}
}
