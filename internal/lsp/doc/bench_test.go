package doc

// This file measures what an editor waits for, in a module of 100,000 lines.

import (
	"bytes"
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
