package pipeline

// This file has atomic operations: each on global and on shared memory, at addresses of all kinds, by all lanes, some, one and none.

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/jit/build"
	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
	"ptxvm.invalid/ptxvm/internal/testkit/load"
)

// atomicForms are statements: SP is the state space, AD the address. %r10 and %rd10 have what was there, if it is wanted.
func atomicForms() (list []string) {
	for _, op := range []string{"add.u32", "and.b32", "or.b32", "xor.b32", "exch.b32", "min.u32", "min.s32", "max.u32", "max.s32", "inc.u32", "dec.u32", "add.f32"} {
		five := "5"
		if op == "add.f32" {
			five = "0f40A00000"
		}
		list = append(list, "atom.SP."+op+" %r10, [AD], %r3", "atom.SP."+op+" %r10, [AD], "+five)
		if op != "exch.b32" {
			list = append(list, "red.SP."+op+" [AD], %r3", "red.SP."+op+" [AD], %r5")
		}
	}
	for _, op := range []string{"add.u64", "and.b64", "or.b64", "xor.b64", "exch.b64", "min.u64", "min.s64", "max.u64", "max.s64", "add.f64"} {
		list = append(list, "atom.SP."+op+" %rd10, [AD], %rd8")
		if op != "exch.b64" {
			list = append(list, "red.SP."+op+" [AD], %rd8", "red.SP."+op+" [AD], %rd9")
		}
	}
	return append(list, "atom.SP.cas.b32 %r10, [AD], %r7, %r3", "atom.SP.cas.b32 %r10, [AD], %r5, 9", "atom.SP.cas.b64 %rd10, [AD], %rd7, %rd8",
		"atom.SP.exch.b32 _, [AD], %r3", "red.SP.add.f32 [AD], 0f00400000", "red.SP.add.u32 [AD], 1")
}

// atomicPlaces are offsets of a lane's element, by its number %r1 and a random word %r3.
var atomicPlaces = map[string]string{
	"own": "shl.b32 %r6, %r1, 3", "one": "mov.u32 %r6, 16", "few": "and.b32 %r6, %r3, 24", "any": "and.b32 %r6, %r3, 0xf8",
	"apart": "mad.lo.u32 %r6, %r1, 8, 0; xor.b32 %r6, %r6, 0x40",
}

// atomicMasks are who executes a statement.
var atomicMasks = map[string]func(s string, k int) string{
	"all":   func(s string, _ int) string { return s + ";" },
	"guard": func(s string, _ int) string { return "@%p2 " + s + ";" },
	"some":  func(s string, k int) string { return fmt.Sprintf("@%%p2 bra E%d;\n%s;\nE%d:", k, s, k) },
	"one":   func(s string, k int) string { return fmt.Sprintf("@%%p3 bra E%d;\n%s;\nE%d:", k, s, k) },
	"none":  func(s string, _ int) string { return "@%p4 " + s + ";" },
}

// atomicBytes is what a statement has of memory.
const atomicBytes = 256

// atomicKernel has statements one after the other, each with memory of its own, for blocks of 32 threads. What was there goes into a sum.
func atomicKernel(forms []string, space, place string, with func(string, int) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n, .param .u32 s)
{
	.reg .pred %%p<6>;
	.reg .b32 %%r<20>;
	.reg .b64 %%rd<20>;
	.shared .align 16 .b8 smem[%[1]d];
	ld.param.u64 %%rd1, [in]; ld.param.u64 %%rd2, [out]; ld.param.u32 %%r5, [n]; ld.param.u32 %%r8, [s];
	mov.u32 %%r1, %%tid.x; mov.u32 %%r2, %%ctaid.x; shl.b32 %%r4, %%r2, 5; add.s32 %%r4, %%r4, %%r1;
	mul.wide.s32 %%rd4, %%r4, 8; add.s64 %%rd4, %%rd4, %%rd1; ld.global.u32 %%r3, [%%rd4]; ld.global.u64 %%rd8, [%%rd4];
	cvt.u64.u32 %%rd9, %%r5; cvt.u64.u32 %%rd7, %%r3; and.b32 %%r7, %%r3, 1;
	and.b32 %%r9, %%r3, 4; setp.ne.u32 %%p2, %%r9, 0; setp.ne.u32 %%p3, %%r1, 5; setp.gt.u32 %%p4, %%r1, %%r8;
	mov.u32 %%r12, 0; mov.u32 %%r11, smem; mul.wide.u32 %%rd3, %%r4, 4; add.s64 %%rd3, %%rd3, %%rd2;
	%[2]s;
	cvt.u64.u32 %%rd6, %%r6; mul.wide.u32 %%rd5, %%r2, %[1]d; add.s64 %%rd12, %%rd2, %%rd5;
	add.s64 %%rd5, %%rd12, %%rd6; add.u32 %%r6, %%r6, %%r11;
`, atomicBytes*len(forms), atomicPlaces[place])
	for k, f := range forms {
		at := fmt.Sprintf("%%rd5+%d", 4096+k*atomicBytes)
		if space == "shared" {
			at = fmt.Sprintf("%%r6+%d", k*atomicBytes)
		}
		f = strings.ReplaceAll(strings.ReplaceAll(f, "SP", space), "AD", at)
		fmt.Fprintf(&b, "mov.u32 %%r10, 7; mov.u64 %%rd10, 7;\n%s\n", with(f, k))
		fmt.Fprintf(&b, "mad.lo.u32 %%r12, %%r12, 31, %%r10; cvt.u32.u64 %%r10, %%rd10; mad.lo.u32 %%r12, %%r12, 31, %%r10; shr.u64 %%rd10, %%rd10, 32; cvt.u32.u64 %%r10, %%rd10; add.u32 %%r12, %%r12, %%r10;\n")
	}
	b.WriteString("st.global.u32 [%rd3], %r12;\n")
	if space == "shared" {
		fmt.Fprintf(&b, `mov.u32 %%r13, 0; shl.b32 %%r14, %%r1, 2; add.s32 %%r15, %%r14, %%r11; cvt.u64.u32 %%rd13, %%r14; add.s64 %%rd13, %%rd13, %%rd12;
L: ld.shared.u32 %%r14, [%%r15]; st.global.u32 [%%rd13+4096], %%r14; add.s32 %%r15, %%r15, 128; add.s64 %%rd13, %%rd13, 128;
	add.s32 %%r13, %%r13, 1; setp.lt.s32 %%p1, %%r13, %d; @%%p1 bra L;
`, atomicBytes*len(forms)/128)
	}
	b.WriteString("ret;\n}\n")
	return b.String()
}

// atomicRun launches it on words of all kinds; less takes bytes off the memory.
func atomicRun(forms, less int) *corpus.Run {
	const ctas = 3
	g := rand.New(rand.NewPCG(3, 7))
	kinds := []uint32{0, 1, 0x80000000, 0x7fffffff, 0xffffffff, 0x7f800000, 0xff800001, 0x00000123, 0x80400000, 0x3f800000, 0xc0490fdb, 5}
	fill := func(n int) []byte {
		var p []byte
		for len(p) < n {
			v := g.Uint32()
			if g.IntN(2) == 0 {
				v = kinds[g.IntN(len(kinds))]
			}
			p = binary.LittleEndian.AppendUint32(p, v)
		}
		return p
	}
	in, out := &corpus.Buffer{Name: "in", Elem: corpus.S32, Init: fill(8 * 32 * ctas)}, &corpus.Buffer{Name: "out", Elem: corpus.S32, Init: fill(4096 + ctas*forms*atomicBytes - less)}
	word := func(v uint32) corpus.Arg {
		return corpus.Arg{Elem: corpus.S32, Scalar: binary.LittleEndian.AppendUint32(nil, v)}
	}
	return &corpus.Run{Buffers: []*corpus.Buffer{in, out}, Launches: []corpus.Launch{{Kernel: "k", Grid: [3]int{ctas, 1, 1}, Block: [3]int{32, 1, 1},
		Args: []corpus.Arg{{Buffer: in}, {Buffer: out}, word(77), word(1000)}}}}
}

// TestAtomics holds all forms to the interpreter, in both copies, without -full a few of them in each way; no handler executes one.
func TestAtomics(t *testing.T) {
	chunks, k := slices.Collect(slices.Chunk(atomicForms(), 7)), 0
	backEnds(t, func(t *testing.T, b backEnd) {
		for _, space := range []string{"global", "shared"} {
			for _, place := range slices.Sorted(maps.Keys(atomicPlaces)) {
				for _, mask := range slices.Sorted(maps.Keys(atomicMasks)) {
					if !b.own && !*full && (mask != "some" || place != "few") {
						continue
					}
					for n, some := range chunks {
						if k++; *full || (k+n)%len(chunks) < 2 {
							text := atomicKernel(some, space, place, atomicMasks[mask])
							b.holdAtomics(t, fmt.Sprint(space, " ", place, " ", mask, " ", some), text, atomicRun(len(some), 0))
						}
					}
				}
			}
		}
	})
}

// holdAtomics holds a kernel to the interpreter, by both copies.
func (b backEnd) holdAtomics(t *testing.T, what, text string, r *corpus.Run) {
	t.Helper()
	if names := handled(t, text, 32); len(names) > 0 {
		t.Errorf("%s: handlers execute %v", what, names)
	}
	want := run(t, text, r, 1, nil)
	for _, rest := range []bool{false, true} {
		refused := map[string]error{}
		got := run(t, text, r, 3, b.with(&jit.PipelineC{Build: build.Options{Rest: rest}}, refused))
		same(t, what, &want[0], got)
		if err := refused["k"]; err != nil || want[0].err == "" && got[2].byC == 0 {
			t.Errorf("%s: %v, %d lane operations are compiled code's", what, err, got[2].byC)
		}
	}
}

// handled are the operations of a kernel that handlers execute.
func handled(t *testing.T, text string, threads int32) []string {
	t.Helper()
	m, err := load.Text("k.ptx", text)
	if err != nil {
		t.Fatal(err)
	}
	code, err := decoded(m, m.Funcs[0], ir.LaunchShape{BlockX: threads, BlockY: 1, BlockZ: 1})
	if err != nil {
		t.Fatal(err)
	}
	b, err := build.Build(code, jit.ForOwn(build.Options{}, jit.AVX2))
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(helpedOps(b.Func, func(pc int32) string { return code.Insts[pc].Op.String() })))
}

// TestAtomicFaults: where one lane's element is misaligned, outside or not there at all no lane has done anything, and the fault is the
// interpreter's; so where the lane is off nothing is wrong.
func TestAtomicFaults(t *testing.T) {
	wrong := []string{"add.s64 %rd5, %rd5, 2; add.u32 %r6, %r6, 2", "add.s64 %rd5, %rd5, 0x100000000; add.u32 %r6, %r6, 0x100000", "mov.u64 %rd5, 0; mov.u32 %r6, 0xfffff000"}
	forms := []string{"atom.SP.add.u32 %r10, [AD], %r3", "red.SP.min.s32 [AD], %r3", "red.SP.or.b32 [AD], %r3", "atom.SP.cas.b64 %rd10, [AD], %rd7, %rd8", "red.SP.add.f32 [AD], %r3"}
	backEnds(t, func(t *testing.T, b backEnd) {
		for k, form := range forms {
			for n, off := range wrong {
				if !b.own && !*full && (k != 3 || n != 0) {
					continue
				}
				for _, lane := range []string{"setp.ne.u32 %p1, %r4, 81; @%p1 bra G", "setp.lt.u32 %p1, %r4, 64; @%p1 bra G"} { // one lane, and all, of the last CTA
					for _, mask := range []string{"all", "one"} {
						with := func(s string, k int) string {
							return lane + ";\n" + off + ";\nG: " + atomicMasks[mask](s, k)
						}
						for _, space := range []string{"global", "shared"} {
							text := atomicKernel([]string{form}, space, "own", with)
							b.holdAtomics(t, form+" "+off+" "+mask+" "+space, text, atomicRun(1, 0))
						}
					}
				}
			}
		}
	})
}

// TestAtomicEnds: an element that ends where its allocation does is inside, and the one behind it is not.
func TestAtomicEnds(t *testing.T) {
	forms := []string{"red.SP.add.u32 [AD+4], %r3", "atom.SP.exch.b64 %rd10, [AD], %rd8"}
	backEnds(t, func(t *testing.T, b backEnd) {
		for _, form := range forms {
			for _, less := range []int{0, 8} {
				text := atomicKernel([]string{form}, "global", "own", atomicMasks["all"])
				b.holdAtomics(t, fmt.Sprint(form, " ", less), text, atomicRun(1, less))
			}
		}
	})
}

// counting has each thread add to one word and take from another, asking what was there, some times.
const counting = `.version 8.0
.target sm_90
.address_size 64
.visible .entry counting(.param .u64 out)
{
	.reg .pred %p<3>;
	.reg .b32 %r<8>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, 0;
	mov.u32 %r4, %tid.x;
L:
	red.global.add.u32 [%rd1], %r4;
	atom.global.add.u32 %r2, [%rd1+4], -1;
	and.b32 %r3, %r2, 31;
	mul.wide.u32 %rd2, %r3, 4;
	add.s64 %rd2, %rd2, %rd1;
	red.global.inc.u32 [%rd2+128], 0x7fffffff;
	add.s32 %r1, %r1, 1;
	setp.lt.u32 %p1, %r1, 2000;
	@%p1 bra L;
	ret;
}
`

// TestAtomicTogether: nothing is lost where CTAs run at the same time.
func TestAtomicTogether(t *testing.T) {
	const ctas, turns = 64, 2000
	buf := &corpus.Buffer{Name: "out", Elem: corpus.U32, Init: make([]byte, 256)}
	r := &corpus.Run{Buffers: []*corpus.Buffer{buf}, Launches: []corpus.Launch{{Kernel: "counting", Grid: [3]int{ctas, 1, 1}, Block: [3]int{32, 1, 1}, Args: []corpus.Arg{{Buffer: buf}}}}}
	backEnds(t, func(t *testing.T, b backEnd) {
		if b.eval {
			t.Skip("it is no more atomic than a load and a store")
		}
		d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Workers: 4, Memory: 1 << 26, Engine: ptxvm.JIT})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		refused := map[string]error{}
		if err := b.with(&jit.PipelineC{}, refused)(d); err != nil {
			t.Fatal(err)
		}
		for i, o := range runOn(t, d, counting, r, 3) {
			word := func(k int) uint32 { return binary.LittleEndian.Uint32(o.memory[0][4*k:]) }
			added, taken, total := uint32(ctas*turns*31*32/2&(1<<32-1)), uint32(ctas*turns*32), uint32(0)
			for k := range 32 {
				if total += word(32 + k); word(32+k) != taken/32 {
					t.Errorf("run %d: word %d counts %d", i, k, word(32+k))
				}
			}
			if word(0) != added || word(1) != -taken || total != taken || o.err != "" || refused["counting"] != nil {
				t.Fatalf("run %d: %d added, %d taken, %d counted, want %d, %d, %d; %s, %v", i, word(0), -word(1), total, added, taken, taken, o.err, refused["counting"])
			}
		}
	})
}
