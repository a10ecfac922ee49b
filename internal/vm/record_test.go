package vm_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/vm"
)

// mixer makes each result of a few inputs: through shared memory, a shuffle, packed moves, a vector store, an atomic operation in
// shared memory, local memory and a copy of two bytes.
const mixer = `.version 8.0
.target sm_90
.address_size 64
.shared .align 4 .b32 tile[64];
.shared .align 4 .b32 total;
.visible .entry k(.param .u64 in, .param .u64 out)
{
	.reg .b32 t, s, r, x, v, w, z, y, a, b;
	.reg .b64 p, q, o, d;
	.reg .b16 h;
	.reg .pred first, odd;
	.local .align 8 .b8 own[8];
	mov.u32 t, %tid.x; mul.wide.u32 o, t, 4;
	ld.param.u64 p, [in]; add.u64 p, p, o;
	ld.param.u64 q, [out]; shl.b64 o, o, 2; add.u64 q, q, o;
	ld.global.u32 v, [p];
	setp.eq.u32 first, t, 0;
	@first st.shared.u32 [total], 0;
	mov.u32 s, tile; mad.lo.u32 r, t, 4, s;
	st.shared.u32 [r], v;
	bar.sync 0;
	setp.lt.u32 first, t, 3;
	@first red.shared.add.u32 [total], v;
	sub.u32 x, 63, t; mad.lo.u32 r, x, 4, s;
	ld.shared.u32 w, [r];
	shfl.sync.down.b32 z, v, 1, 31, -1;
	mov.b64 d, {w, z};
	st.local.b64 [own], d;
	ld.local.b32 a, [own+4];
	add.u32 y, v, a;
	and.b32 b, t, 1; setp.eq.u32 odd, b, 1;
	selp.b32 b, w, v, odd;
	bar.sync 0;
	ld.shared.u16 h, [tile+10];
	cvt.u32.u16 x, h;
	ld.shared.u32 a, [total];
	xor.b32 a, a, x;
	st.global.v4.u32 [q], {y, w, b, a};
	ret;
}
`

// TestRecordAgainstInputs: of each result, Explain finds at least the inputs whose change changes it, and no others but those that
// have been handed to an instruction without use.
func TestRecordAgainstInputs(t *testing.T) {
	const threads = 64
	start := make([]uint32, threads)
	for i := range start {
		start[i] = uint32(i*2654435761) ^ 0x12345678
	}
	run := func(in []uint32, r *vm.Record) (out []uint32, from, to vm.Buffer) {
		d, k := onlyKernel(t, mixer, vm.DeviceConfig{Workers: 1})
		from, err := vm.Upload(d, in)
		if err != nil {
			t.Fatal(err)
		}
		to, _ = d.Alloc(16 * threads)
		if _, err := k.Watch(context.Background(), vm.Launch{Block: vm.Dim3{X: threads}}, vm.Watch{Record: r}, from, to); err != nil {
			t.Fatal(err)
		}
		out = make([]uint32, 4*threads)
		if err := vm.Download(to, out); err != nil {
			t.Fatal(err)
		}
		return out, from, to
	}
	r := &vm.Record{CTAs: []vm.Index3{{}}}
	want, from, to := run(start, r)
	depends := make([][]int, len(want))
	for i := range start {
		in := slices.Clone(start)
		in[i] ^= 0xffffffff
		for j, v := range first(run(in, nil)) {
			if v != want[j] {
				depends[j] = append(depends[j], i)
			}
		}
	}
	for j := range want {
		o, err := r.Explain(to.Addr()+uint64(4*j), 4, vm.OriginLimits{Depth: 50, Values: 1000})
		if err != nil || o == nil {
			t.Fatalf("out[%d]: %v, %v", j, o, err)
		}
		inputs := inputsOf(o, from.Addr(), map[*vm.Origin]bool{})
		slices.Sort(inputs)
		inputs = slices.Compact(inputs)
		for _, i := range depends[j] {
			if !slices.Contains(inputs, i) {
				t.Errorf("out[%d] depends on in[%d], of which Explain says nothing: %v", j, i, inputs)
			}
		}
		// A register is followed as a whole: that of both halves of d; and selp has the value as a source that it does not take.
		if extra := len(inputs) - len(depends[j]); extra > 1 || extra == 1 && j%4 != 0 && j%4 != 2 {
			t.Errorf("out[%d]: Explain has %v, it depends on %v", j, inputs, depends[j])
		}
	}
}

func first(out []uint32, _, _ vm.Buffer) []uint32 { return out }

// inputsOf are the elements of the input behind a value.
func inputsOf(o *vm.Origin, from uint64, seen map[*vm.Origin]bool) (list []int) {
	if seen[o] {
		return nil
	}
	seen[o] = true
	if o.Kind == vm.OriginInput {
		return []int{int(o.From-from) / 4}
	}
	for _, s := range o.Sources {
		list = append(list, inputsOf(s, from, seen)...)
	}
	return list
}

// TestRecordRefused: what a record cannot hold, and what it cannot answer.
func TestRecordRefused(t *testing.T) {
	ctx, shape := context.Background(), vm.Launch{Block: vm.Dim3{X: 64}}
	for text, try := range map[string]func() error{
		"one worker": func() error {
			_, k := onlyKernel(t, mixer, vm.DeviceConfig{Workers: 2})
			_, err := k.Watch(ctx, shape, vm.Watch{Record: &vm.Record{}}, uint64(0), uint64(0))
			return err
		},
		"is not in the grid": func() error {
			_, k := onlyKernel(t, mixer, vm.DeviceConfig{Workers: 1})
			_, err := k.Watch(ctx, shape, vm.Watch{Record: &vm.Record{CTAs: []vm.Index3{{X: 1}}}}, uint64(0), uint64(0))
			return err
		},
		"not two of these": func() error {
			_, k := onlyKernel(t, mixer, vm.DeviceConfig{Workers: 1})
			_, err := k.Watch(ctx, shape, vm.Watch{Record: &vm.Record{}, Trace: &vm.Trace{Each: func(*vm.Step) {}}}, uint64(0), uint64(0))
			return err
		},
		"holds no launch": func() error {
			_, err := new(vm.Record).Explain(0, 4, vm.OriginLimits{})
			return err
		},
		"takes more than 1000 bytes": func() error {
			d, k := onlyKernel(t, mixer, vm.DeviceConfig{Workers: 1})
			in, _ := d.Alloc(256)
			out, _ := d.Alloc(1024)
			r := &vm.Record{CTAs: []vm.Index3{{}}, Max: 1000}
			if _, err := k.Watch(ctx, shape, vm.Watch{Record: r}, in, out); err != nil {
				return fmt.Errorf("the launch: %w", err)
			}
			_, err := r.Explain(out.Addr(), 4, vm.OriginLimits{Depth: 1, Values: 1})
			return err
		},
	} {
		if err := try(); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("want %q, have %v", text, err)
		}
	}
}
