package tensors_test

// This file holds stores and reductions of boxes, maps that a kernel changes, copies to several CTAs, and what they refuse.

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/testkit/rig"
)

// tileKernel fills 1024 bytes of shared memory, word i with i+1, and lets thread 0 run statements. %rd1 is the address of
// the map, %rd2 of a buffer of 4096 bytes that is aligned to 256.
const tileKernel = `.version 8.7
.target sm_100a
.address_size 64
.visible .entry k(.param .align 64 .b8 map[128], .param .u64 out) {
	.reg .b32 %r<32>; .reg .b64 %rd<16>; .reg .pred %p<4>;
	.shared .align 1024 .b8 data[1024]; .shared .align 128 .b8 copy[128]; .shared .align 8 .b64 bar;
	mov.b64 %rd1, map; cvta.param.u64 %rd1, %rd1; ld.param.u64 %rd2, [out];
	mov.u32 %r0, %tid.x;
	shl.b32 %r1, %r0, 2; mov.u32 %r2, data; add.u32 %r2, %r2, %r1; add.u32 %r3, %r0, 1; mov.u32 %r10, copy; mov.u32 %r11, bar;
	st.shared.u32 [%r2], %r3;
	fence.proxy.async;
	bar.sync 0;
	setp.ne.u32 %p1, %r0, 0;
STMT
	ret;
}`

const commitBox = " cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"

// runTile returns the buffer after a launch; it begins with 100 in each word.
func runTile(t *testing.T, stmt string, cfg ptxvm.DeviceConfig, tiled func(ptxvm.Buffer) ptxvm.TensorMapTiled, l ptxvm.Launch) ([]uint32, error) {
	t.Helper()
	text := tileKernel
	if cfg.Arch == "" {
		cfg.Arch = "sm_100a"
	} else {
		text = strings.NewReplacer("sm_100a", cfg.Arch, ".version 8.7", ".version 9.4").Replace(text)
	}
	d := rig.Device(t, cfg)
	mod, err := ptxvm.Compile("tile.ptx", []byte(strings.Replace(text, "STMT", stmt, 1)), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.Load(mod)
	if err != nil {
		t.Fatal(err)
	}
	words := make([]uint32, 1024)
	for i := range words {
		words[i] = 100
	}
	out, err := ptxvm.Upload(d, words)
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.NewTensorMap(tiled(out))
	if err != nil {
		t.Fatal(err)
	}
	l.Block = ptxvm.Dim3{X: 256}
	if _, err := rig.Kernel(t, p, "k").Launch(context.Background(), l, m, out); err != nil {
		return nil, err
	}
	return words, ptxvm.Download(out, words)
}

// square is a map of 8×8 words with rows of 128 bytes, and boxes of 4×2.
func square(typ string) func(ptxvm.Buffer) ptxvm.TensorMapTiled {
	return func(b ptxvm.Buffer) ptxvm.TensorMapTiled {
		m := ptxvm.TensorMapTiled{Buffer: b, Type: typ, Dims: []uint32{8, 8}, Strides: []uint64{128}, Box: []uint32{4, 2}}
		if typ == "u8" {
			m.Box[0] = 16
		}
		return m
	}
}

// TestTensorTiles: stores cut at the edges, reductions by the type of the map, rows by name, and changed maps.
func TestTensorTiles(t *testing.T) {
	at := func(column, row int) int { return row*32 + column }
	for _, c := range []struct {
		name, typ, stmt string
		want            map[int]uint32 // words that change
	}{
		{"store", "u32", "@!%p1 cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd1, {2, 3}], [data];" + commitBox,
			map[int]uint32{at(2, 3): 1, at(3, 3): 2, at(4, 3): 3, at(5, 3): 4, at(2, 4): 5, at(3, 4): 6, at(4, 4): 7, at(5, 4): 8}},
		{"cut", "s32", "@!%p1 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {6, 7}], [data];" + commitBox,
			map[int]uint32{at(6, 7): 1, at(7, 7): 2}},
		{"add", "u32", "@!%p1 cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%rd1, {6, 7}], [data];" + commitBox,
			map[int]uint32{at(6, 7): 101, at(7, 7): 102}},
		{"min", "s32", "@!%p1 cp.reduce.async.bulk.tensor.2d.global.shared::cta.min.bulk_group [%rd1, {0, 7}], [data];" + commitBox,
			map[int]uint32{at(0, 7): 1, at(1, 7): 2, at(2, 7): 3, at(3, 7): 4}},
		{"max", "u32", "@!%p1 cp.reduce.async.bulk.tensor.2d.global.shared::cta.max.bulk_group [%rd1, {0, 7}], [data];" + commitBox, nil},
		{"inc", "u32", "@!%p1 cp.reduce.async.bulk.tensor.2d.global.shared::cta.inc.bulk_group [%rd1, {7, 7}], [data];" + commitBox, map[int]uint32{at(7, 7): 0}},
		{"dec", "u32", "@!%p1 cp.reduce.async.bulk.tensor.2d.global.shared::cta.dec.bulk_group [%rd1, {7, 7}], [data];" + commitBox, map[int]uint32{at(7, 7): 1}},
		{"and", "u32", "@!%p1 cp.reduce.async.bulk.tensor.2d.global.shared::cta.and.bulk_group [%rd1, {4, 7}], [data];" + commitBox,
			map[int]uint32{at(4, 7): 100 & 1, at(5, 7): 100 & 2, at(6, 7): 100 & 3, at(7, 7): 100 & 4}},
		{"or", "s32", "@!%p1 cp.reduce.async.bulk.tensor.2d.global.shared::cta.or.bulk_group [%rd1, {4, 7}], [data];" + commitBox,
			map[int]uint32{at(4, 7): 101, at(5, 7): 102, at(6, 7): 103}},
		{"xor", "u32", "@!%p1 cp.reduce.async.bulk.tensor.2d.global.shared::cta.xor.bulk_group [%rd1, {4, 7}], [data];" + commitBox,
			map[int]uint32{at(4, 7): 101, at(5, 7): 102, at(6, 7): 103, at(7, 7): 96}},
		{"float", "f32", "@!%p1 st.shared.u32 [data], 0x3f800000; @!%p1 st.global.u32 [%rd2+28], 0x40000000; @!%p1 fence.proxy.async;\n" +
			"@!%p1 cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%rd1, {7, 0}], [data];" + commitBox,
			map[int]uint32{at(7, 0): 0x40400000, at(7, 1): 105}}, // of numbers of f32 without a normal bit: 100 + 5
		{"flushed", "f32.ftz", "@!%p1 st.shared.v2.u32 [data], {0x3f800000, 0x80000001}; @!%p1 fence.proxy.async;\n" +
			"@!%p1 cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd1, {0, 0}], [data];" + commitBox,
			map[int]uint32{at(0, 0): 0x3f800000, at(1, 0): 0x80000000, at(2, 0): 0, at(3, 0): 0, at(0, 1): 0, at(1, 1): 0, at(2, 1): 0, at(3, 1): 0}},
		{"flushed sum", "f32.ftz", "@!%p1 st.shared.u32 [data], 0x3f800000; @!%p1 st.global.u32 [%rd2+28], 0x40000000; @!%p1 fence.proxy.async;\n" +
			"@!%p1 cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%rd1, {7, 0}], [data];" + commitBox,
			map[int]uint32{at(7, 0): 0x40400000}},
		{"flushed load", "tf32.ftz", "@!%p1 st.global.v2.u32 [%rd2], {0x3f800001, 0x80000001}; @!%p1 fence.proxy.async; @!%p1 mbarrier.init.shared.b64 [bar], 1;\n" +
			"@!%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 32;\n" +
			"@!%p1 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [data], [%rd1, {0, 0}], [bar];\n" +
			"wait: @!%p1 mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @%p1 mov.pred %p2, 1; @!%p2 bra wait;\n" +
			"@!%p1 ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [data]; @!%p1 st.global.v4.u32 [%rd2+2048], {%r4, %r5, %r6, %r7};\n",
			map[int]uint32{at(0, 0): 0x3f800001, at(1, 0): 0x80000001, 512: 0x3f800001, 513: 0x80000000, 514: 0, 515: 0}},
		{"scatter", "u32", replaced("box_dim.shared::cta.b1024.b32 [copy], 1, 1") +
			"@!%p1 cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%rd3, {3, 5, -1, 0, 8}], [data];" + commitBox,
			map[int]uint32{at(3, 5): 1, at(4, 5): 2, at(5, 5): 3, at(6, 5): 4, at(3, 0): 9, at(4, 0): 10, at(5, 0): 11, at(6, 0): 12}},
		{"fields", "u8", replaced(
			"global_address.shared::cta.b1024.b64 [copy], %rd4", "rank.shared::cta.b1024.b32 [copy], 2", "box_dim.shared::cta.b1024.b32 [copy], 0, 4",
			"box_dim.shared::cta.b1024.b32 [copy], 1, 3", "box_dim.shared::cta.b1024.b32 [copy], 2, 2", "global_dim.shared::cta.b1024.b32 [copy], 0, 3",
			"global_dim.shared::cta.b1024.b32 [copy], 2, 2", "global_stride.shared::cta.b1024.b64 [copy], 0, 64", "global_stride.shared::cta.b1024.b64 [copy], 1, 512",
			"element_stride.shared::cta.b1024.b32 [copy], 1, 2", "element_stride.shared::cta.b1024.b32 [copy], 2, 1", "elemtype.shared::cta.b1024.b32 [copy], 2",
			"interleave_layout.shared::cta.b1024.b32 [copy], 0", "swizzle_mode.shared::cta.b1024.b32 [copy], 1", "swizzle_atomicity.shared::cta.b1024.b32 [copy], 0", "fill_mode.shared::cta.b1024.b32 [copy], 0") +
			"@!%p1 cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%rd3, {0, 1, 0}], [data];" + commitBox,
			// rows 1 and 3 of two planes, three of four words; from 1024 bytes on
			map[int]uint32{272: 1, 273: 2, 274: 3, 304: 5, 305: 6, 306: 7, 400: 9, 401: 10, 402: 11, 432: 13, 433: 14, 434: 15}},
	} {
		for _, async := range []ptxvm.Async{ptxvm.AsyncEager, ptxvm.AsyncLazy, ptxvm.AsyncRandom} {
			got, err := runTile(t, c.stmt, ptxvm.DeviceConfig{Async: async}, square(c.typ), ptxvm.Launch{})
			if err != nil {
				t.Errorf("%s, %v: %v", c.name, async, err)
				continue
			}
			for i, v := range got[:512] {
				want, ok := c.want[i]
				if !ok {
					want = 100
				}
				if v != want {
					t.Errorf("%s, %v: word %d (column %d, row %d) is %d, want %d", c.name, async, i, i%32, i/32, v, want)
				}
			}
		}
	}
}

// replaced copies the map to shared memory, changes fields there, and releases it to its proxy: %rd3 is its address then, behind 2048 bytes of
// the buffer, and %rd4 is 1024 bytes behind the buffer's first.
func replaced(fields ...string) string {
	var b strings.Builder
	b.WriteString("add.u64 %rd3, %rd2, 2048; add.u64 %rd4, %rd2, 1024; setp.gt.u32 %p2, %r0, 31; @%p2 bra DONE;\n")
	for i := range 16 {
		fmt.Fprintf(&b, "@!%%p1 ld.param.b64 %%rd5, [map+%[1]d]; @!%%p1 st.shared.b64 [copy+%[1]d], %%rd5;\n", 8*i)
	}
	for _, f := range fields {
		b.WriteString("@!%p1 tensormap.replace.tile." + f + ";\n")
	}
	b.WriteString("bar.warp.sync -1; tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd3], [copy], 128;\n" +
		"fence.proxy.tensormap::generic.acquire.gpu [%rd3], 128; DONE:\n")
	return b.String()
}

// TestTensorMulticast: a box in both CTAs of a cluster, with an mbarrier each.
func TestTensorMulticast(t *testing.T) {
	stmt := `@!%p1 mbarrier.init.shared.b64 [bar], 1; @!%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 32; fence.mbarrier_init.release.cluster;
	barrier.cluster.arrive; barrier.cluster.wait;
	mov.u32 %r4, %cluster_ctarank; setp.ne.or.u32 %p2, %r4, 0, %p1;
	@!%p2 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [data], [%rd1, {4, 6}], [bar], 3;
WAIT: mbarrier.try_wait.parity.shared.b64 %p3, [bar], 0; @!%p3 bra WAIT;
	mul.wide.u32 %rd3, %r4, 1024; add.u64 %rd3, %rd3, %rd2; add.u64 %rd3, %rd3, 1024;
	setp.gt.u32 %p2, %r0, 7; @%p2 bra DONE; ld.shared.u32 %r5, [%r2]; mul.wide.u32 %rd4, %r0, 4; add.u64 %rd3, %rd3, %rd4; st.global.u32 [%rd3], %r5;
DONE: barrier.cluster.arrive; barrier.cluster.wait;`
	for _, async := range []ptxvm.Async{ptxvm.AsyncEager, ptxvm.AsyncLazy, ptxvm.AsyncRandom} {
		got, err := runTile(t, stmt, ptxvm.DeviceConfig{Async: async}, square("u32"), ptxvm.Launch{Grid: ptxvm.Dim3{X: 2}, Cluster: ptxvm.Dim3{X: 2}})
		if err != nil {
			t.Fatal(async, err)
		}
		for i := range 8 {
			if got[256+i] != 100 || got[512+i] != 100 {
				t.Errorf("%v: word %d is %d and %d", async, i, got[256+i], got[512+i])
			}
		}
	}
}

// pairs is a statement for clusters of four: mbarriers that expect two boxes, a copy with its mbarrier at %r7, a wait by CTAs of
// one parity, and what each CTA then has in shared memory, 512 bytes apart.
func pairs(parity int, copyBox string) string {
	return fmt.Sprintf(`mov.u32 %%r4, %%cluster_ctarank; mov.u32 %%r6, bar; and.b32 %%r8, %%r4, 1; setp.ne.u32 %%p3, %%r8, %d;
	@!%%p1 mbarrier.init.shared.b64 [bar], 1; @!%%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64; fence.mbarrier_init.release.cluster;
	barrier.cluster.arrive; barrier.cluster.wait;
	%s
	@%%p3 bra WAITED;
WAIT: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %%p2, [bar], 0; @!%%p2 bra WAIT;
WAITED: barrier.cluster.arrive; barrier.cluster.wait;
	mul.wide.u32 %%rd3, %%r4, 512; add.u64 %%rd3, %%rd3, %%rd2; add.u64 %%rd3, %%rd3, 1024;
	setp.gt.u32 %%p2, %%r0, 7; @%%p2 bra DONE; ld.shared.u32 %%r5, [%%r2]; mul.wide.u32 %%rd4, %%r0, 4; add.u64 %%rd3, %%rd3, %%rd4; st.global.u32 [%%rd3], %%r5;
DONE: barrier.cluster.arrive; barrier.cluster.wait;`, parity, copyBox)
}

// TestTensorPairs: with .cta_group::2 the mbarrier of a box may lie in the peer of the CTA that is written; with a mask each box
// is counted in the CTA of its pair whose rank is odd or even as that of the named mbarrier.
func TestTensorPairs(t *testing.T) {
	const stmt = "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
	launch := ptxvm.Launch{Grid: ptxvm.Dim3{X: 4}, Cluster: ptxvm.Dim3{X: 4}}
	for parity := range 2 {
		for name, copyBox := range map[string]string{
			"each": fmt.Sprintf("and.b32 %%r7, %%r4, 2; or.b32 %%r7, %%r7, %d; mapa.shared::cluster.u32 %%r7, %%r6, %%r7; @!%%p1 %s.cta_group::2 [data], [%%rd1, {4, 6}], [%%r7];", parity, stmt),
			"mask": fmt.Sprintf("mapa.shared::cluster.u32 %%r7, %%r6, %d; setp.ne.or.u32 %%p2, %%r4, 2, %%p1; @!%%p2 %s.multicast::cluster.cta_group::2 [data], [%%rd1, {4, 6}], [%%r7], 15;", parity, stmt),
		} {
			for _, async := range []ptxvm.Async{ptxvm.AsyncEager, ptxvm.AsyncLazy, ptxvm.AsyncRandom} {
				got, err := runTile(t, pairs(parity, copyBox), ptxvm.DeviceConfig{Async: async}, square("u32"), launch)
				if err != nil {
					t.Errorf("%s, mbarriers of ranks %d and %d, %v: %v", name, parity, parity+2, async, err)
					continue
				}
				for i := range 4 * 128 {
					if i%128 < 8 && got[256+i] != 100 {
						t.Errorf("%s, %d, %v: rank %d, word %d is %d", name, parity, async, i/128, i%128, got[256+i])
					}
				}
			}
		}
	}
	for _, c := range []struct{ group, wants string }{
		{"", "it lies in rank 2 of the cluster, what is written in rank 1"},
		{".cta_group::2", "it lies in rank 2 of the cluster, what is written in rank 1; .cta_group::2 takes an mbarrier of that CTA or of its peer, rank 0"},
	} {
		copyBox := "setp.ne.or.u32 %p2, %r4, 1, %p1; mapa.shared::cluster.u32 %r7, %r6, 2; @!%p2 " + stmt + c.group + " [data], [%rd1, {4, 6}], [%r7];"
		if _, err := runTile(t, pairs(0, copyBox), ptxvm.DeviceConfig{}, square("u32"), launch); err == nil || !strings.Contains(err.Error(), c.wants) {
			t.Errorf("%q: want %q, have %v", c.group, c.wants, err)
		}
	}
}

// TestTensorOverrides: what a statement says stands in the place of the map's address, dimensions and strides.
func TestTensorOverrides(t *testing.T) {
	const store = "@!%%p1 %s.async.bulk.tensor.%dd.global.shared::cta%s.tile.bulk_group%s [%%rd1, %s], [data];" + commitBox
	line := func(b ptxvm.Buffer) ptxvm.TensorMapTiled {
		return ptxvm.TensorMapTiled{Buffer: b, Type: "u32", Dims: []uint32{64}, Box: []uint32{4}}
	}
	for _, c := range []struct {
		rank                int
		overrides, operands string
		want                map[int]uint32 // words of the buffer that become 1, 2, … of the box
		wants               string
	}{
		{2, ".override::global_address", "%rd3, {2, 3}", map[int]uint32{2 + 3*32 + 32: 1, 3 + 3*32 + 32: 2, 4 + 3*32 + 32: 3, 5 + 3*32 + 32: 4, 2 + 4*32 + 32: 5, 3 + 4*32 + 32: 6, 4 + 4*32 + 32: 7, 5 + 4*32 + 32: 8}, ""},
		{2, ".override::global_address.override::global_dim_stride", "%rd3, {%h1, %h2}, {%r12}, %h3, {0, 0}", map[int]uint32{32: 1, 33: 2, 34: 3, 48: 5, 49: 6, 50: 7}, ""}, // 3×8 elements, rows of 64 bytes
		{1, ".override::global_address.override::global_dim", "%rd3, {%h1}, {0}", map[int]uint32{32: 1, 33: 2, 34: 3}, ""},
		{2, ".override::global_address.override::global_dim_stride", "%rd3, {%h1, %h2}, {%r12}, %h3, {%r13, 0}", nil, "coordinate 0 is 1; where dimensions are overridden all are 0"},
		{2, ".override::global_address.override::global_dim_stride", "%rd3, {%h4, %h2}, {%r12}, %h3, {0, 0}", nil, "dimension 0 has no elements"},
		{2, ".override::global_address.override::global_dim_stride", "%rd3, {%h1, %h2}, {%r12}, %h1, {0, 0}", nil, "access"}, // a stride of 3·2^36 and more
		{2, ".override::global_address", "%rd4, {2, 3}", nil, "is no multiple of 16"},
	} {
		for _, add := range []bool{false, true} {
			verb, op, tiled := "cp", "", square("u32")
			if add {
				verb, op = "cp.reduce", ".add"
			}
			if c.rank == 1 {
				tiled = line
			}
			stmt := ".reg .b16 %h<8>; mov.u16 %h1, 3; mov.u16 %h2, 8; mov.u16 %h3, 0; mov.u16 %h4, 256; mov.u32 %r12, 4; mov.u32 %r13, 1; add.u64 %rd3, %rd2, 128; add.u64 %rd4, %rd2, 8;\n" +
				fmt.Sprintf(store, verb, c.rank, op, c.overrides, c.operands)
			got, err := runTile(t, stmt, ptxvm.DeviceConfig{Arch: "sm_107f"}, tiled, ptxvm.Launch{})
			if c.wants != "" {
				if err == nil || !strings.Contains(err.Error(), c.wants) {
					t.Errorf("%s: want %q, have %v", c.operands, c.wants, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", c.operands, err)
				continue
			}
			for i, v := range got {
				want, ok := c.want[i]
				if !ok || add {
					want += 100
				}
				if v != want {
					t.Errorf("%s%s: word %d is %d, want %d", c.operands, op, i, v, want)
				}
			}
		}
	}
}

// TestTensorMapOfZeros: a kernel that sets every field of zeros has the map that the host would make of them; with one field less
// it has none that is possible.
func TestTensorMapOfZeros(t *testing.T) {
	fields := []string{
		"global_address.shared::cta.b1024.b64 [copy], %rd2", "rank.shared::cta.b1024.b32 [copy], 1",
		"box_dim.shared::cta.b1024.b32 [copy], 0, 4", "box_dim.shared::cta.b1024.b32 [copy], 1, 2",
		"global_dim.shared::cta.b1024.b32 [copy], 0, 8", "global_dim.shared::cta.b1024.b32 [copy], 1, 8",
		"global_stride.shared::cta.b1024.b64 [copy], 0, 128",
		"element_stride.shared::cta.b1024.b32 [copy], 0, 1", "element_stride.shared::cta.b1024.b32 [copy], 1, 1",
		"elemtype.shared::cta.b1024.b32 [copy], 2", "swizzle_mode.shared::cta.b1024.b32 [copy], 0",
	}
	store := func(m string) string {
		return "@!%p1 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [" + m + ", {2, 3}], [data];" + commitBox
	}
	want, err := runTile(t, store("%rd1"), ptxvm.DeviceConfig{}, square("u32"), ptxvm.Launch{})
	if err != nil {
		t.Fatal(err)
	}
	made := func(fields []string) ([]uint32, error) {
		stmt := regexp.MustCompile(`@!%p1 ld.param.b64 %rd5, .*?;`).ReplaceAllString(replaced(fields...), "mov.b64 %rd5, 0;")
		return runTile(t, stmt+store("%rd3"), ptxvm.DeviceConfig{}, square("u32"), ptxvm.Launch{})
	}
	got, err := made(fields)
	if err != nil || !slices.Equal(got[:512], want[:512]) {
		t.Errorf("%v\n%v\nwant %v", err, got, want[:512])
	}
	for _, without := range []int{2, 4, 7} {
		if _, err := made(slices.Delete(slices.Clone(fields), without, without+1)); err == nil || !strings.Contains(err.Error(), "dimension 0") {
			t.Errorf("without %s: %v", fields[without], err)
		}
	}
}

// TestTensorFaultsOfMaps: fields that do not go together are named.
func TestTensorFaultsOfMaps(t *testing.T) {
	for _, c := range []struct{ field, wants string }{
		{"box_dim.shared::cta.b1024.b32 [copy], 0, 257", "the box has 257 elements along dimension 0: 1 to 256 are possible"},
		{"box_dim.shared::cta.b1024.b32 [copy], 0, 3", "a row of the box is 12 bytes, which is no multiple of 16"},
		{"swizzle_mode.shared::cta.b1024.b32 [copy], 1; @!%p1 tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [copy], 0, 16", "a row of the box is 64 bytes, more than the 32 of the swizzle"},
		{"rank.shared::cta.b1024.b32 [copy], 2", "dimension 2 has no elements"},
		{"rank.shared::cta.b1024.b32 [copy], 0", "it has rank 1, the instruction is for 2 dimensions"},
		{"global_address.shared::cta.b1024.b64 [copy], 8", "the address 0x8 is no multiple of 16"},
		{"global_stride.shared::cta.b1024.b64 [copy], 0, 24", "the stride of dimension 1 is 24 bytes"},
		{"global_stride.shared::cta.b1024.b64 [copy], 4, 32", "ordinal 4 of global_stride: there are strides 0 to 3"},
		{"element_stride.shared::cta.b1024.b32 [copy], 1, 9", "the element stride of dimension 1 is 9: 1 to 8 are possible"},
		{"fill_mode.shared::cta.b1024.b32 [copy], 1", "elements of type u32 cannot be NaN"},
		{"interleave_layout.shared::cta.b1024.b32 [copy], 1", "rank 2: interleaved tensors have 3 to 5 dimensions"},
		{"elemtype.shared::cta.b1024.b32 [copy], 13", "a row of the box is 2 bytes, which is no multiple of 16"},
		{"elemtype.shared::cta.b1024.b32 [copy], 14", "dimension 0 has 8 elements: of type b4x16_p64 it has a multiple of 128"},
		{"global_dim.shared::cta.b1024.b32 [copy], 0, 0", "dimension 0 has no elements"},
	} {
		stmt := replaced(c.field) + "@!%p1 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd3, {2, 3}], [data];" + commitBox
		if _, err := runTile(t, stmt, ptxvm.DeviceConfig{}, square("u32"), ptxvm.Launch{}); err == nil || !strings.Contains(err.Error(), c.wants) {
			t.Errorf("%s\n\twant %q\n\thave %v", c.field, c.wants, err)
		}
	}
	for _, c := range []struct{ stmt, wants string }{
		{"@!%p1 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd2, {2, 3}], [data];" + commitBox, "there is no tensor map"},
		{"@!%p1 add.u32 %r2, %r2, 64; @!%p1 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {2, 3}], [%r2];" + commitBox, "which is no multiple of 128"},
		{"@!%p1 cp.reduce.async.bulk.tensor.2d.global.shared::cta.inc.bulk_group [%rd1, {2, 3}], [data];" + commitBox, "elements of type s32 have no .inc"},
	} {
		if _, err := runTile(t, c.stmt, ptxvm.DeviceConfig{}, square("s32"), ptxvm.Launch{}); err == nil || !strings.Contains(err.Error(), c.wants) {
			t.Errorf("%s\n\twant %q\n\thave %v", c.stmt, c.wants, err)
		}
	}
}
