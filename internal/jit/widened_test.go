package jit_test

import (
	"encoding/binary"
	"flag"
	"fmt"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/host"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/mem"
)

var widenedFull = flag.Bool("widened", false, "vector loads with every number of elements that nothing reads")

// widened is a kernel with a vector load of which the first elements are read, and the last one that is ends what there is.
type widened struct {
	space, typ string
	n, reads   int    // elements, and those that are read
	sink       bool   // the others are `_`, and no registers that nobody reads
	place      string // of lanes: "same", "next" to each other, with "gaps", in "another" order
}

const widenedLanes = 64

// widenedTypes are the types of elements with their bytes, their registers, and how they become 64 bits.
var widenedTypes = map[string]struct {
	bytes         int
	register, add string
}{
	"u8": {1, "%h", "cvt.u64.u16 %rd6, X;"}, "u16": {2, "%h", "cvt.u64.u16 %rd6, X;"}, "s16": {2, "%h", "cvt.u64.u16 %rd6, X;"},
	"u32": {4, "%v", "cvt.u64.u32 %rd6, X;"}, "f32": {4, "%f", "mov.b32 %r5, X; cvt.u64.u32 %rd6, %r5;"},
	"u64": {8, "%vd", "mov.b64 %rd6, X;"}, "f64": {8, "%fd", "mov.b64 %rd6, X;"},
}

func (w *widened) bytes() int { return widenedTypes[w.typ].bytes }

// lane is which vector a lane loads; some lane has the last one.
func (w *widened) lane(i int) int {
	return map[string]int{"same": 0, "next": i, "gaps": 2 * i, "another": i * 5 % widenedLanes}[w.place]
}

// room is the bytes up to the last element that is read.
func (w *widened) room() int {
	last := 0
	for i := range widenedLanes {
		last = max(last, w.lane(i))
	}
	return (last*w.n + w.reads) * w.bytes()
}

const widenedText = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 from, .param .u64 to) {
	.reg .b16 %h<8>; .reg .b32 %r<8>, %v<8>; .reg .b64 %rd<11>, %vd<8>; .reg .f32 %f<8>; .reg .f64 %fd<8>; .reg .pred %p;
	ld.param.u64 %rd1, [from];
	ld.param.u64 %rd2, [to];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd3, %r1, 8;
	add.u64 %rd2, %rd2, %rd3;
	mov.u64 %rd10, 0;
	INDEX
	mul.wide.u32 %rd4, %r2, BYTES;
	OWN
	add.u64 %rd5, %rd1, %rd4;
	LOAD
	st.global.u64 [%rd2], %rd10;
	ret;
}
`

// widenedOwn fills memory of the kernel's own.
const widenedOwn = `.SPACE .align 32 .b8 own[ROOM];
	mov.u64 %rd1, own;
	mov.u32 %r6, 0;
again:
	cvt.u64.u32 %rd8, %r6;
	add.u64 %rd8, %rd1, %rd8;
	mad.lo.u32 %r7, %r6, 7, 3;
	st.SPACE.u8 [%rd8], %r7;
	add.u32 %r6, %r6, 1;
	setp.lt.u32 %p, %r6, ROOM;
	@%p bra again;
	bar.sync 0;`

// text is the kernel. all has it read every element.
func (w *widened) text(all bool) string {
	t := widenedTypes[w.typ]
	var regs []string
	sum := ""
	for k := range w.n {
		reg := fmt.Sprint(t.register, k)
		if k < w.reads || all {
			sum += "\n\t" + strings.ReplaceAll(t.add, "X", reg) + " mul.lo.u64 %rd10, %rd10, 31; add.u64 %rd10, %rd10, %rd6;"
		} else if w.sink {
			reg = "_"
		}
		regs = append(regs, reg)
	}
	index := map[string]string{"same": "mov.u32 %r2, 0;", "next": "mov.u32 %r2, %r1;", "gaps": "shl.b32 %r2, %r1, 1;", "another": "mul.lo.u32 %r2, %r1, 5; and.b32 %r2, %r2, 63;"}[w.place]
	own := ""
	if w.space == ".shared" || w.space == ".local" {
		own = strings.NewReplacer("SPACE", w.space[1:], "ROOM", fmt.Sprint(w.room())).Replace(widenedOwn)
	}
	load := fmt.Sprintf("ld%s.v%d.%s {%s}, [%%rd5];", w.space, w.n, w.typ, strings.Join(regs, ", "))
	return strings.NewReplacer("INDEX", index, "BYTES", fmt.Sprint(w.n*t.bytes), "OWN", own, "LOAD", load+sum).Replace(widenedText)
}

// want is what a lane stores.
func (w *widened) want(i int) (sum uint64) {
	for k := range w.reads {
		var elem uint64
		for j := range w.bytes() {
			elem |= uint64(byte(7*((w.lane(i)*w.n+k)*w.bytes()+j)+3)) << (8 * j)
		}
		sum = 31*sum + elem
	}
	return sum
}

// run launches the kernel with as much memory as is read.
func (w *widened) run(t *testing.T, all bool, compile host.Compiler) error {
	t.Helper()
	l := newLaboratory(t, "k.ptx", w.text(all))
	from, _ := l.arena.Alloc(uint64(w.room()), mem.Info{Label: "from"})
	to, _ := l.arena.Alloc(8*widenedLanes, mem.Info{Label: "to"})
	memory := l.arena.Bytes(from, uint64(w.room()))
	for i := range memory {
		memory[i] = byte(7*i + 3)
	}
	_, err := l.launch(t, "k", [3]uint32{1, 1, 1}, [3]uint32{widenedLanes, 1, 1}, func(x *host.Launch) { x.Compile = compile }, from, to)
	if err != nil {
		return err
	}
	got := l.arena.Bytes(to, 8*widenedLanes)
	for i := range widenedLanes {
		if v := binary.LittleEndian.Uint64(got[8*i:]); v != w.want(i) {
			return fmt.Errorf("lane %d: %#x, want %#x", i, v, w.want(i))
		}
	}
	return nil
}

// TestWidened: elements at the end of a vector load that nothing reads are no part of the access, in any space and engine; what
// something reads is.
func TestWidened(t *testing.T) {
	engines := map[string]host.Compiler{"interpreter": nil}
	for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
		if e, err := jit.NewEngine(jit.Options{Vectors: v}); err == nil {
			engines[fmt.Sprint(v)] = e.Install
		}
	}
	for _, space := range []string{"", ".global", ".global.nc", ".shared", ".local"} {
		for typ := range widenedTypes {
			for _, n := range []int{2, 4} {
				if n*widenedTypes[typ].bytes > 16 {
					continue
				}
				for reads := n - 1; reads > 0 && (*widenedFull || reads == n-1); reads-- {
					for _, place := range []string{"same", "next", "gaps", "another"} {
						w := widened{space, typ, n, reads, reads%2 == 0, place}
						for name, compile := range engines {
							w.check(t, name, compile)
						}
					}
				}
			}
		}
	}
}

func (w *widened) check(t *testing.T, engine string, compile host.Compiler) {
	t.Helper()
	if err := w.run(t, false, compile); err != nil {
		t.Errorf("%s: %+v: %v\n%s", engine, *w, err, w.text(false))
	}
	if w.place != "next" && !*widenedFull {
		return
	}
	if err := w.run(t, true, compile); err == nil || !strings.HasPrefix(err.Error(), "P7001") {
		t.Errorf("%s: %+v with every element read: %v", engine, *w, err)
	}
}
