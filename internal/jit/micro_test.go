package jit_test

// This file measures the parts that compiled code is made of: lane functions, accesses by class, helpers, exits. With -micro it
// writes tables of bench/NOTES.md.

import (
	"encoding/csv"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"ptxvm.invalid/ptxvm/internal/host"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/sem"
)

var microFolder = flag.String("micro", "", "the folder that TestMicro writes its tables to; empty: it measures little, and writes nothing")

// microWidths are in the order of the columns.
var microWidths = []jit.Vectors{jit.AVX512, jit.AVX2}

// microCase is an instruction, or some, in a loop.
type microCase struct {
	name  string
	setup string // in front of the loop
	text  string
	part  bool // half of the lanes are in the loop
}

// microAccesses are the classes of access. %same is an address that all lanes share, %row follows the lane by four bytes as the
// compiler knows, %there by a distance that it knows; %seen holds an address that it does not know, %index an index.
var microAccesses = []microCase{
	{name: "load, one address for all lanes", text: "ld.global.u32 %v, [%same];"},
	{name: "load, lanes follow each other", text: "ld.global.u32 %v, [%row];"},
	{name: "load, lanes follow each other, address from memory", setup: "ld.global.u64 %seen, [%rows];", text: "ld.global.u32 %v, [%seen];"},
	{name: "load of bytes, lanes follow each other", setup: "cvt.u64.u32 %there, %t; add.u64 %there, %same, %there;", text: "ld.global.u8 %v, [%there];"},
	{name: "load of 64 bits, lanes follow each other", setup: "mad.wide.u32 %there, %t, 8, %same;", text: "ld.global.u64 %w, [%there];"},
	{name: "load.v4, lanes follow each other", setup: "mad.wide.u32 %there, %t, 16, %same;", text: "ld.global.v4.u32 {%v, %v1, %v2, %v3}, [%there];"},
	{name: "load, lanes 12 bytes apart", setup: "mad.wide.u32 %there, %t, 12, %same;", text: "ld.global.u32 %v, [%there];"},
	{name: "load, lanes 1 KiB apart", setup: "mad.wide.u32 %there, %t, 1024, %same;", text: "ld.global.u32 %v, [%there];"},
	{name: "load, lanes anywhere, address of 64 bits", setup: "ld.global.u64 %seen, [%far];", text: "ld.global.u32 %v, [%seen];"},
	{name: "load, lanes anywhere, index of 32 bits", setup: "ld.global.u32 %index, [%random];", text: "mad.wide.u32 %there, %index, 4, %same; ld.global.u32 %v, [%there];"},
	{name: "load of bytes, lanes anywhere", setup: "ld.global.u64 %seen, [%far];", text: "ld.global.u8 %v, [%seen];"},
	{name: "load.relaxed, lanes follow each other", text: "ld.relaxed.gpu.global.u32 %v, [%row];"},
	{name: "load, half of the lanes, which follow each other", text: "ld.global.u32 %v, [%row];", part: true},
	{name: "load, half of the lanes, anywhere", setup: "ld.global.u64 %seen, [%far];", text: "ld.global.u32 %v, [%seen];", part: true},
	{name: "load from shared memory, lanes follow each other", text: "ld.shared.u32 %v, [%srow];"},
	{name: "load from shared memory, within 64 bytes", setup: "ld.global.u32 %index, [%random]; and.b32 %index, %index, 15;", text: "mad.lo.u32 %a, %index, 4, %sbase; ld.shared.u32 %v, [%a];"},
	{name: "load from shared memory, lanes anywhere", setup: "ld.global.u32 %index, [%random];", text: "mad.lo.u32 %a, %index, 4, %sbase; ld.shared.u32 %v, [%a];"},
	{name: "load from local memory", text: "ld.local.u32 %v, [depot+4];"},
	{name: "store, lanes follow each other", text: "st.global.u32 [%row], %v;"},
	{name: "store, one address for all lanes", text: "st.global.u32 [%same], %v;"},
	{name: "store, lanes 12 bytes apart", setup: "mad.wide.u32 %there, %t, 12, %same;", text: "st.global.u32 [%there], %v;"},
	{name: "store, lanes anywhere, address of 64 bits", setup: "ld.global.u64 %seen, [%far];", text: "st.global.u32 [%seen], %v;"},
	{name: "store, lanes anywhere, index of 32 bits", setup: "ld.global.u32 %index, [%random];", text: "mad.wide.u32 %there, %index, 4, %same; st.global.u32 [%there], %v;"},
	{name: "store, half of the lanes, which follow each other", text: "st.global.u32 [%row], %v;", part: true},
	{name: "store to shared memory, lanes anywhere", setup: "ld.global.u32 %index, [%random];", text: "mad.lo.u32 %a, %index, 4, %sbase; st.shared.u32 [%a], %v;"},
	{name: "store to local memory", text: "st.local.u32 [depot+4], %v;"},
	{name: "red.shared.add, lanes anywhere", setup: "ld.global.u32 %index, [%random];", text: "mad.lo.u32 %a, %index, 4, %sbase; red.shared.add.u32 [%a], 1;"},
	{name: "atom.shared.add, lanes anywhere", setup: "ld.global.u32 %index, [%random];", text: "mad.lo.u32 %a, %index, 4, %sbase; atom.shared.add.u32 %v, [%a], 1;"},
	{name: "red.global.add, one address", text: "red.global.add.u32 [%same], 1;"},
	{name: "atom.global.cas, lanes follow each other", text: "atom.global.cas.b32 %v, [%row], %v, 1;"},
}

// microHelped are instructions that have a helper, forced to by Helping.
var microHelped = []microCase{
	{name: "add.u32", text: "add.u32 %v, %v, %t;"},
	{name: "mad.lo.u32", text: "mad.lo.u32 %v, %v, %t, %t;"},
	{name: "fma.rn.f32", text: "fma.rn.f32 %f, %f, %f, %f;"},
	{name: "add.f64", text: "add.rn.f64 %e, %e, %e;"},
	{name: "cvt.rn.f16.f32", text: "cvt.rn.f16.f32 %h, %f;"},
	{name: "selp.b32", text: "selp.b32 %v, %v, %t, %q;"},
	{name: "ld.global.u32, lanes follow each other", text: "ld.global.u32 %v, [%row];"},
	{name: "st.shared.u32, lanes follow each other", text: "st.shared.u32 [%srow], %v;"},
	{name: "red.shared.add.u32", text: "red.shared.add.u32 [%srow], 1;"},
	{name: "shfl.sync.bfly.b32", text: "shfl.sync.bfly.b32 %v, %v, 1, 31, -1;"},
	{name: "vote.sync.ballot.b32", text: "vote.sync.ballot.b32 %v, %q, -1;"},
}

// microTurns are how often a warp goes round: few times where a turn takes long, so that some launches have a processor from their
// beginning to their end.
const (
	microTurns = 2048
	slowTurns  = 64
	microCTAs  = 8
)

// kernel is the loop; without the text for comparison.
func (m *microCase) kernel(empty bool) string {
	text, skip := m.text, ""
	if empty {
		text = ""
	}
	if m.part {
		skip = "setp.ge.u32 %q1, %t, 16; @%q1 bra E;"
	}
	return fmt.Sprintf(`.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 turns) {
	.local .align 8 .b8 depot[64]; .shared .align 16 .b8 smem[4096];
	.reg .b64 %%same, %%row, %%rows, %%far, %%there, %%seen, %%w, %%random; .reg .b32 %%t, %%v, %%v1, %%v2, %%v3, %%n, %%index, %%a, %%srow, %%sbase, %%turns; .reg .f32 %%f; .reg .f64 %%e; .reg .b16 %%h; .reg .pred %%q, %%q1, %%more;
	ld.param.u64 %%same, [p]; ld.param.u32 %%turns, [turns]; mov.u32 %%t, %%tid.x; mad.wide.u32 %%row, %%t, 4, %%same; mad.wide.u32 %%rows, %%t, 8, %%same; add.u64 %%far, %%rows, 65792; add.u64 %%rows, %%rows, 65536; add.u64 %%random, %%row, 66048;
	mov.u32 %%sbase, smem; mad.lo.u32 %%srow, %%t, 4, %%sbase; mov.u32 %%v, %%t; cvt.rn.f32.u32 %%f, %%t; mov.f64 %%e, 0d0000000000000000; setp.gt.u32 %%q, %%t, 9; st.local.u32 [depot+4], %%t;
	%s
	mov.u32 %%n, 0;
	%s
L:	%s
	add.u32 %%n, %%n, 1; setp.lt.u32 %%more, %%n, %%turns; @%%more bra L;
E:	add.u32 %%v, %%v, %%n; ret;
}
`, m.setup, skip, text)
}

// time is how long a turn takes, in nanoseconds for a warp, by an engine, or interpreted.
func (m *microCase) time(t *testing.T, empty bool, tries, turns int, e *jit.Engine) float64 {
	l := newLaboratory(t, "k.ptx", m.kernel(empty))
	buf, err := l.arena.Alloc(1<<17, mem.Info{Label: "buf"})
	if err != nil {
		t.Fatal(err)
	}
	l.keep = true
	words := l.arena.Bytes(buf, 1<<17)
	for i := range 32 { // addresses behind each other, anywhere, and indices
		put := func(at int, v uint64, n int) {
			for k := range n {
				words[at+k] = byte(v >> (8 * k))
			}
		}
		any := uint64(i*37%32*28 + i)
		put(65536+8*i, buf+uint64(4*i), 8)
		put(65792+8*i, buf+4*any, 8)
		put(66048+4*i, any, 4)
	}
	var compile host.Compiler
	if e != nil {
		compile = e.Install
	}
	least := time.Duration(0)
	for range tries + 1 {
		start := time.Now()
		l.run(t, "k", microCTAs, [3]uint32{32, 1, 1}, compile, buf, uint32(turns))
		if took := time.Since(start); least == 0 || took < least {
			least = took
		}
	}
	return float64(least.Nanoseconds()) / float64(turns*microCTAs)
}

// costs is what the text of a case costs by options, nil for the interpreter, beside its loop.
func (m *microCase) costs(t *testing.T, tries, turns int, o *jit.Options) float64 {
	if o == nil {
		return max(m.time(t, false, tries, turns, nil)-m.time(t, true, tries, turns, nil), 0)
	}
	loop := engine(t, jit.Options{Vectors: o.Vectors})
	return max(m.time(t, false, tries, turns, engine(t, *o))-m.time(t, true, tries, turns, loop), 0)
}

// inLoop tells whether a pc of a case's kernel is that of its text, which is one instruction.
func (m *microCase) inLoop(t *testing.T) func(pc int32) bool {
	const behind = 6 // with the loop's end, and what follows it
	at := int32(len(newLaboratory(t, "k.ptx", m.kernel(false)).m.Func("k").Insts)) - behind
	return func(pc int32) bool { return pc == at }
}

func ns(v float64) string {
	switch {
	case v == 0:
		return "–"
	case v < 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

// TestMicro measures a few of each, or with -micro all, and writes the tables.
func TestMicro(t *testing.T) {
	for _, v := range microWidths {
		if !slices.Contains(jit.Runnable(), v) {
			t.Skipf("no %v here", v)
		}
	}
	tries := 60
	accesses, helped, functions := microAccesses, microHelped, sem.LaneFunctions()
	if *microFolder == "" {
		tries, accesses, helped, functions = 1, accesses[:2], helped[:1], functions[:8]
	}
	lanes := [][]string{{"Function", "AVX-512, ns", "AVX2, ns"}}
	for _, fn := range functions {
		row := []string{fn.String()}
		for _, v := range microWidths {
			row = append(row, ns(jit.MeasureLane(t, fn, v, tries)))
		}
		lanes = append(lanes, row)
	}
	table := [][]string{{"Part", "What", "AVX-512, ns", "AVX2, ns", "Interpreter, ns"}, slices.Repeat([]string{"---"}, 5)}
	for _, m := range accesses {
		row := []string{"access", m.name}
		for _, v := range microWidths {
			o := jit.Options{Vectors: v}
			row = append(row, ns(m.costs(t, tries, microTurns, &o)))
		}
		table = append(table, append(row, ns(m.costs(t, tries, slowTurns, nil))))
	}
	for _, way := range []struct {
		name string
		by   func(jit.Options, func(int32) bool) jit.Options
	}{{"helper", jit.Helping}, {"exit", jit.Leaving}} {
		for _, m := range helped {
			row := []string{way.name, m.name}
			for _, v := range microWidths {
				o := way.by(jit.Options{Vectors: v}, m.inLoop(t))
				row = append(row, ns(m.costs(t, tries, slowTurns, &o)))
			}
			table = append(table, append(row, ns(m.costs(t, tries, slowTurns, nil))))
		}
	}
	if *microFolder == "" {
		t.Log(table, byTime(lanes))
		return
	}
	writeFigures(t, "microbenchmarks.csv", table)
	writeFigures(t, "microbenchmarks-2.csv", byTime(lanes))
	writeFigures(t, "micro/lane-functions.csv", lanes)
}

// byTime counts lane functions by how long they take.
func byTime(lanes [][]string) [][]string {
	bounds := []float64{2, 5, 10, 25, 50, 100, 250, math.Inf(1)}
	count := make([][2]int, len(bounds)+1)
	for _, row := range lanes[1:] {
		for k, text := range row[1:] {
			i := len(bounds)
			if v, err := strconv.ParseFloat(text, 64); err == nil {
				i = slices.IndexFunc(bounds, func(b float64) bool { return v <= b })
			}
			count[i][k]++
		}
	}
	table := [][]string{{"Nanoseconds for 32 lanes", "Functions by AVX-512", "by AVX2"}, slices.Repeat([]string{"---"}, 3)}
	for i, n := range count {
		name := "none: a helper executes them"
		switch {
		case i < len(bounds)-1:
			name = fmt.Sprintf("at most %v", bounds[i])
		case i < len(bounds):
			name = "more"
		}
		table = append(table, []string{name, fmt.Sprint(n[0]), fmt.Sprint(n[1])})
	}
	return table
}

func writeFigures(t *testing.T, name string, rows [][]string) {
	path := filepath.Join(*microFolder, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := csv.NewWriter(f).WriteAll(rows); err != nil {
		t.Fatal(err)
	}
}
