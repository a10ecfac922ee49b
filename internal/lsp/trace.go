package lsp

// This file shows the values of a recorded trace (run --trace … --trace-to FILE.jsonl) where an instruction is hovered.

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// Bounds of what is read and shown of a trace.
const (
	maxTrace    = 256 << 20 // bytes
	shownValues = 8         // lanes
)

// recording is a trace, with what was executed last at each line.
type recording struct {
	name string
	size int64
	at   time.Time
	last map[traceLine]*traced
	err  error
}

// traceLine is a line of a module, which its file name without folders names.
type traceLine struct {
	file string
	line int
}

// traced is the last step at a line, and how many there were.
type traced struct {
	traceStep
	times int
}

// traceStep is a line of the trace (docs/json.md).
type traceStep struct {
	CTA   [3]uint32
	Warp  int
	Lanes uint32
	PTX   struct {
		File string
		Line int
	}
	Text          string
	Reads, Writes []traceValue
	Moment        *uint64
}

type traceValue struct {
	Name   string
	Values []string
}

// recorded reads the trace that the settings name, beside a document, unless it is known as it is now; nil: none is named.
func (s *server) recorded(uri string) *recording {
	name := s.options.Recording
	if name == "" {
		return nil
	}
	if u, err := url.Parse(uri); err == nil && u.Path != "" && !filepath.IsAbs(name) {
		name = filepath.Join(filepath.FromSlash(path.Dir(u.Path)), name)
	}
	info, err := os.Stat(name)
	if err != nil {
		return &recording{err: err}
	}
	if r := s.trace; r != nil && r.name == name && r.size == info.Size() && r.at.Equal(info.ModTime()) {
		return r
	}
	s.trace = &recording{name: name, size: info.Size(), at: info.ModTime(), last: map[traceLine]*traced{}}
	s.trace.read()
	return s.trace
}

func (r *recording) read() {
	file, err := os.Open(r.name)
	if err != nil {
		r.err = err
		return
	}
	defer file.Close()
	d := json.NewDecoder(io.LimitReader(file, maxTrace))
	for {
		var one traceStep
		if err := d.Decode(&one); err != nil { // the last line of a trace that is being written is not whole
			if err != io.EOF && len(r.last) == 0 {
				r.err = err
			}
			return
		}
		at := traceLine{filepath.Base(filepath.FromSlash(one.PTX.File)), one.PTX.Line}
		t := r.last[at]
		if t == nil {
			t = &traced{}
			r.last[at] = t
		}
		t.traceStep, t.times = one, t.times+1
	}
}

// hoverTrace is what a trace has of the instruction on a line; "" where it has none, or is of another text.
func (r *request) hoverTrace(line int) string {
	rec := r.s.recorded(r.uri)
	switch {
	case rec == nil:
		return ""
	case rec.err != nil:
		return fmt.Sprintf("The trace %s cannot be read: %v", r.s.options.Recording, rec.err)
	}
	t := rec.last[traceLine{path.Base(r.uri), line}]
	if t == nil || !strings.Contains(spaced(string(r.Line(line-1))), spaced(t.Text)) {
		return ""
	}
	when := ""
	if t.Moment != nil {
		when = fmt.Sprintf(" at moment %d", *t.Moment)
	}
	often := "once"
	if t.times > 1 {
		often = fmt.Sprintf("%d times, last", t.times)
	}
	text := fmt.Sprintf("Trace `%s`: %s%s by CTA (%d,%d,%d), warp %d, lanes %08x\n", filepath.Base(rec.name), often, when,
		t.CTA[0], t.CTA[1], t.CTA[2], t.Warp, t.Lanes)
	for _, v := range t.Reads {
		text += "\n- `" + v.Name + "` = " + v.text()
	}
	for _, v := range t.Writes {
		text += "\n- → `" + v.Name + "` = " + v.text()
	}
	return text
}

// text is the values of the lanes: one if all are equal.
func (v *traceValue) text() string {
	same := true
	for _, x := range v.Values {
		same = same && x == v.Values[0]
	}
	switch list := v.Values; {
	case same && len(list) > 0:
		return list[0]
	case len(list) > shownValues:
		return strings.Join(list[:shownValues], " ") + " …"
	default:
		return strings.Join(list, " ")
	}
}

func spaced(text string) string { return strings.Join(strings.Fields(text), " ") }
