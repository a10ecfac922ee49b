package main

// This file writes --trace CTA[/THREAD][@LINE[-LINE]]: what a CTA executes, one line for each
// instruction of a warp, as text or as JSON (docs/json.md).

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"strconv"
	"strings"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/launchlang"
	"ptxvm.invalid/ptxvm/internal/quote"
)

// traceFlag reads --trace.
type traceFlag struct {
	what *ptxvm.Trace
	text string
}

func (f *traceFlag) String() string { return "" }
func (f *traceFlag) Type() string   { return "CTA[/THREAD][@LINE-LINE]" }

func (f *traceFlag) Set(text string) (err error) {
	t := &ptxvm.Trace{}
	rest, lines, ranged := strings.Cut(text, "@")
	if ranged {
		if t.From, t.To, err = parseLines(lines); err != nil {
			return err
		}
	}
	cta, thread, one := strings.Cut(rest, "/")
	if t.CTA, err = launchlang.ParsePoint(cta); err != nil {
		return fmt.Errorf("CTA %w", err)
	}
	if one {
		at, err := launchlang.ParsePoint(thread)
		if err != nil {
			return fmt.Errorf("thread %w", err)
		}
		t.Thread = &at
	}
	f.what, f.text = t, text
	return nil
}

// parseLines reads LINE or LINE-LINE.
func parseLines(text string) (from, to int, err error) {
	first, last, ranged := strings.Cut(text, "-")
	if !ranged {
		last = first
	}
	from, err = strconv.Atoi(first)
	if err == nil {
		to, err = strconv.Atoi(last)
	}
	if err != nil || from < 1 || to < from {
		return 0, 0, fmt.Errorf("lines %q: want LINE or LINE-LINE, lines of the PTX from 1", text)
	}
	return from, to, nil
}

// traceWriter writes the steps of all launches of a command line.
type traceWriter struct {
	out  *bufio.Writer
	file *launchlang.StagedFile // nil: standard error
	json bool
	max  uint64

	asked string // the last --trace
	steps uint64
	about string // kernel and CTA of the last header
	err   error
}

// openTrace returns what writes the launches' steps; nil if it is not wanted.
func openTrace(s streams, f *runFlags, launches []*launch) (*traceWriter, error) {
	t := &traceWriter{max: f.maxTrace, json: strings.HasSuffix(f.traceTo, ".json") || strings.HasSuffix(f.traceTo, ".jsonl")}
	asked := false
	for _, j := range launches {
		if j.flags.trace.what != nil {
			asked, t.asked, j.flags.trace.what.Each = true, j.flags.trace.text, t.step
		}
	}
	switch {
	case !asked && f.traceTo != "":
		return nil, usageError{fmt.Errorf("--trace-to %s: --trace CTA says what to show", f.traceTo)}
	case !asked:
		return nil, nil
	}
	if t.out = bufio.NewWriterSize(s.err, 1<<16); f.traceTo == "" {
		return t, nil
	}
	var err error
	if t.file, err = launchlang.Create(f.traceTo); err != nil {
		return nil, usageError{fmt.Errorf("cannot write --trace-to: %w", err)}
	}
	t.out.Reset(t.file)
	return t, nil
}

// step writes one line.
func (t *traceWriter) step(s *ptxvm.Step) {
	if t.steps++; t.steps > t.max || t.err != nil {
		return
	}
	if t.json {
		t.err = writeStepJSON(t.out, s)
		return
	}
	if about := fmt.Sprintf("kernel %s, CTA (%d,%d,%d)", s.Kernel, s.CTA.X, s.CTA.Y, s.CTA.Z); about != t.about {
		t.about = about
		fmt.Fprintf(t.out, "trace: %s\n", about)
	}
	_, t.err = io.WriteString(t.out, stepLine(s))
}

// flush lets what is behind the buffer see what was written.
func (t *traceWriter) flush() {
	if t != nil && t.err == nil {
		t.err = t.out.Flush()
	}
}

// close ends the trace, and gives a file its name: whatever came of the run.
func (t *traceWriter) close(errw io.Writer) error {
	if t == nil {
		return nil
	}
	t.flush()
	switch {
	case t.steps == 0:
		fmt.Fprintf(errw, "note: --trace %s: that CTA or thread executed no instruction of these lines\n", t.asked)
	case t.steps > t.max:
		fmt.Fprintf(errw, "trace: %d more instructions are not shown (--max-trace %d)\n", t.steps-t.max, t.max)
	}
	if t.file == nil {
		return nil // standard error: there is nowhere to say that it cannot be written
	}
	err := t.err
	if err == nil {
		err = t.file.Commit()
	}
	if err = errors.Join(err, t.file.Discard()); err != nil {
		return usageError{fmt.Errorf("cannot write --trace-to: %w", err)}
	}
	return nil
}

// stepLine is a step as text:
//
//	saxpy.ptx:31 saxpy.cu:4 w0 0000ffff  add.s32 %r3, %r1, 1;  %r1=0 1 … 15  → %r3=1 2 … 16
func stepLine(s *ptxvm.Step) string {
	var b strings.Builder
	b.WriteString(quote.Place(s.PTX))
	if len(s.Source) > 0 {
		b.WriteString(" " + quote.Place(s.Source[0]))
	}
	fmt.Fprintf(&b, "  w%d %08x  %s%s", s.Warp, s.Lanes, strings.Repeat("· ", s.Calls), diag.Escape(s.Text))
	if s.Lanes == 0 {
		fmt.Fprintf(&b, "  skipped: the guard is false in %08x\n", s.Active)
		return b.String()
	}
	sep := "  "
	for i := range s.Reads {
		fmt.Fprintf(&b, "%s%s=%s", sep, s.Reads[i].Name, lanesText(&s.Reads[i], s.Lanes))
		sep = ", "
	}
	sep = "  → "
	for i := range s.Writes {
		fmt.Fprintf(&b, "%s%s=%s", sep, s.Writes[i].Name, lanesText(&s.Writes[i], s.Lanes))
		sep = ", "
	}
	switch {
	case s.Next > 0:
		fmt.Fprintf(&b, "  %s to line %d", s.Then, s.Next)
	case s.Then != "":
		fmt.Fprintf(&b, "  %s", s.Then)
	}
	b.WriteByte('\n')
	return b.String()
}

// valuesAcross is how many values of an irregular row are shown.
const valuesAcross = 8

// lanesText shows the values of some lanes: one if all are equal, the first two and the last if
// numbers count in equal steps, else as many as fit.
func lanesText(v *ptxvm.Traced, lanes uint32) string {
	list := setLanes(lanes)
	n := len(list)
	equal, regular := true, v.Number() && n > 3
	step := uint64(0)
	for i := 1; i < n; i++ {
		d := v.Bits(list[i]) - v.Bits(list[i-1])
		if i == 1 {
			step = d
		}
		equal, regular = equal && v.Value(list[i]) == v.Value(list[0]), regular && d == step
	}
	switch {
	case equal:
		return valueText(v, list[0])
	case v.Type == "pred":
		return fmt.Sprintf("lanes %08x", predicateMask(v, list))
	case regular:
		return fmt.Sprintf("%s %s … %s", valueText(v, list[0]), valueText(v, list[1]), valueText(v, list[n-1]))
	}
	var words []string
	for _, lane := range list[:min(n, valuesAcross)] {
		words = append(words, valueText(v, lane))
	}
	text := strings.Join(words, " ")
	if n > valuesAcross {
		text += fmt.Sprintf(" (%d more)", n-valuesAcross)
	}
	return text
}

// predicateMask is the lanes whose predicate holds.
func predicateMask(v *ptxvm.Traced, list []int) (mask uint32) {
	for _, lane := range list {
		mask |= uint32(v.Bits(lane)&1) << lane
	}
	return mask
}

// addresses lie above this and are not read as decimal numbers.
const addresses = 1 << 40

// valueText is a value as the text form shows it: 64-bit integers that look like addresses, and
// bits, in hexadecimal without zeros in front.
func valueText(v *ptxvm.Traced, lane int) string {
	bits := v.Bits(lane)
	switch v.Type {
	case "b64":
		return fmt.Sprintf("%#x", bits)
	case "u64", "s64":
		if bits >= addresses && bits <= ^uint64(addresses) {
			return fmt.Sprintf("%#x", bits)
		}
	}
	return v.Value(lane)
}

// setLanes lists the lanes of a mask in ascending order.
func setLanes(mask uint32) (list []int) {
	for ; mask != 0; mask &= mask - 1 {
		list = append(list, bits.TrailingZeros32(mask))
	}
	return list
}

// stepReport is a step as JSON; the names are part of the contract (docs/json.md).
type stepReport struct {
	Schema int              `json:"schema"`
	Kernel string           `json:"kernel"`
	CTA    [3]uint32        `json:"cta"`
	Warp   int              `json:"warp"`
	Lanes  uint32           `json:"lanes"`
	Active uint32           `json:"active"`
	PTX    ptxvm.Location   `json:"ptx"`
	Source []ptxvm.Location `json:"source"`
	Calls  int              `json:"calls"`
	Text   string           `json:"text"`
	Reads  []valueReport    `json:"reads"`
	Writes []valueReport    `json:"writes"`
	Then   string           `json:"then"`
	Next   int              `json:"next"` // a line; 0 unless then is jumps
}

// valueReport is an operand.
type valueReport struct {
	Name   string   `json:"name"`
	Type   string   `json:"type"`
	Values []string `json:"values"` // of the lanes, in ascending order
}

func writeStepJSON(w io.Writer, s *ptxvm.Step) error {
	return json.NewEncoder(w).Encode(stepReport{Schema: 1, Kernel: s.Kernel, CTA: s.CTA.Array(), Warp: s.Warp, Lanes: s.Lanes,
		Active: s.Active, PTX: s.PTX, Source: placesOf(s.Source), Calls: s.Calls, Text: s.Text,
		Reads: valueReports(s.Reads, s.Lanes), Writes: valueReports(s.Writes, s.Lanes), Then: s.Then, Next: s.Next})
}

func valueReports(list []ptxvm.Traced, lanes uint32) []valueReport {
	out := []valueReport{}
	for i := range list {
		v := valueReport{Name: list[i].Name, Type: list[i].Type}
		for _, lane := range setLanes(lanes) {
			v.Values = append(v.Values, list[i].Value(lane))
		}
		out = append(out, v)
	}
	return out
}
