package doc

// This file measures what an editor waits for, in a module of 100,000 lines.

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"

	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/testkit/cputime"
	"ptxvm.invalid/ptxvm/internal/testkit/joined"
)

const bigLines = 100_000

// big is a module of many lines that has been judged.
func big(t testing.TB) *Snapshot {
	t.Helper()
	files, err := joined.Files(root, "sm_90")
	if err != nil {
		t.Fatal(err)
	}
	text, err := joined.Module(files, bigLines)
	if err != nil {
		t.Fatal(err)
	}
	s := New("big.ptx", text, check.Options{WholeProgram: true})
	if list, err := s.Diagnostics(t.Context()); err != nil || list.HasErrors() {
		t.Fatal(err, list)
	}
	return s
}

// processorTime reports what an operation takes of processors, whatever else the machine does.
func processorTime(b *testing.B) func() {
	runtime.GC()
	before := cputime.Used()
	return func() { b.ReportMetric(float64((cputime.Used()-before).Microseconds())/1000/float64(b.N), "cpu-ms/op") }
}

// middle is a statement in the middle of a text.
func middle(s *Snapshot) Pos {
	half := len(s.Text) / 2
	return Pos(bytes.Index(s.Text[half:], []byte("add.s32")) + half)
}

// BenchmarkKey is a key and the diagnostics behind it.
func BenchmarkKey(b *testing.B) {
	s := big(b)
	at := middle(s)
	defer processorTime(b)()
	for b.Loop() {
		s = s.Edit(Span{Start: at, End: at}, " ")
		if _, err := s.Diagnostics(b.Context()); err != nil || s.whole != nil {
			b.Fatal(err, s.whole != nil)
		}
	}
}

// BenchmarkComplete is a key and what can stand behind it: modifiers, then registers.
func BenchmarkComplete(b *testing.B) {
	for _, c := range []struct{ name, text string }{{"opcodes", "a"}, {"modifiers", "mma.sync."}, {"registers",
		"add.s32 %"}} {
		b.Run(c.name, func(b *testing.B) {
			s := big(b)
			at := middle(s)
			s = s.Edit(Span{Start: at, End: at}, "\n\n")
			_, _ = s.Diagnostics(b.Context())
			defer processorTime(b)()
			for b.Loop() {
				typed := s.Edit(Span{Start: at + 1, End: at + 1}, c.text)
				list, err := typed.Completions(b.Context(), at+1+Pos(len(c.text)))
				if err != nil || len(list) == 0 {
					b.Fatal(err, len(list))
				}
			}
		})
	}
}

// BenchmarkWhole is a judgement of the whole text: opening it, or a key outside of functions.
func BenchmarkWhole(b *testing.B) {
	s := big(b)
	defer processorTime(b)()
	for b.Loop() {
		s = New(s.Name, s.Text, s.opt)
		if _, err := s.Diagnostics(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMemory is what a document holds, in times of its text, after a key and after a question about all of it.
func BenchmarkMemory(b *testing.B) {
	if b.N > 1 {
		return
	}
	before := heap()
	s := big(b)
	size := float64(len(s.Text))
	b.ReportMetric(float64(heap()-before)/size, "opened/text")
	at := middle(s)
	s = s.Edit(Span{Start: at, End: at}, " ")
	_, _ = s.Diagnostics(b.Context())
	b.ReportMetric(float64(heap()-before)/size, "key/text")
	_, _ = s.Outline(b.Context())
	b.ReportMetric(float64(heap()-before)/size, "asked/text")
	b.ReportMetric(size, "text-bytes")
	runtime.KeepAlive(s)
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// huge is a module that is one function of many lines.
func huge(t testing.TB) *Snapshot {
	t.Helper()
	var b bytes.Buffer
	b.WriteString(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry huge(.param .u64 p)\n{\n\t.reg .b32 %r<1000>;\n\t.reg .b64 %rd<1000>;\n\t.reg .f32 %f<1000>;\n\t.reg .pred %p<100>;\n\tld.param.u64 %rd1, [p];\n")
	for i := 10; i < bigLines; i += 10 {
		n := i / 10 % 990
		fmt.Fprintf(&b, "$L__%d:\n\tadd.s32 %%r%d, %%r%d, 1;\n\tmul.wide.s32 %%rd%d, %%r%d, 4;\n\tadd.s64 %%rd%d, %%rd1, %%rd%d;\n\tld.global.f32 %%f%d, [%%rd%d+%d];\n"+
			"\tfma.rn.f32 %%f%d, %%f%d, %%f%d, 0f3F800000;\n\tst.global.f32 [%%rd%d], %%f%d;\n\tsetp.lt.s32 %%p%d, %%r%d, %d;\n\t@%%p%d bra $L__%d;\n\tmov.u32 %%r%d, %%tid.x;\n",
			i, n+1, n, n+2, n+1, n+3, n+2, n+1, n+3, 4*n, n+2, n+1, n, n+3, n+2, n%100, n+1, i, n%100, i, n+4)
	}
	b.WriteString("\tret;\n}\n")
	s := New("huge.ptx", b.Bytes(), check.Options{WholeProgram: true})
	if list, err := s.Diagnostics(t.Context()); err != nil || list.HasErrors() {
		t.Fatal(err, list)
	}
	return s
}

// BenchmarkHuge is a key in a function of all lines, the diagnostics behind it, and what can stand there.
func BenchmarkHuge(b *testing.B) {
	for _, c := range []struct {
		name     string
		complete bool
	}{{"key", false}, {"complete", true}} {
		b.Run(c.name, func(b *testing.B) {
			s := huge(b)
			at := middle(s)
			defer processorTime(b)()
			for b.Loop() {
				s = s.Edit(Span{Start: at, End: at}, "\n")
				if _, err := s.Diagnostics(b.Context()); err != nil || s.near == nil {
					b.Fatal(err, s.near == nil)
				}
				if c.complete {
					typed := s.Edit(Span{Start: at, End: at}, "add.s32 %r")
					if list, err := typed.Completions(b.Context(), at+10); err != nil || len(list) == 0 || typed.near == nil {
						b.Fatal(err, len(list))
					}
				}
			}
		})
	}
}
