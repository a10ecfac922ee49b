package diag

// This file renders the diagnostics of one file as one JSON object on one line.

import (
	"encoding/json"
	"io"
)

type jsonFile struct {
	File        string     `json:"file"`
	OK          bool       `json:"ok"`
	Message     string     `json:"message"`
	Diagnostics []jsonDiag `json:"diagnostics"`
}

type jsonDiag struct {
	Code     string    `json:"code"`
	Severity string    `json:"severity"`
	Line     int       `json:"line"`
	Col      int       `json:"col"`
	EndLine  int       `json:"endLine"`
	EndCol   int       `json:"endCol"`
	Message  string    `json:"message"`
	Section  string    `json:"section"`
	Fixes    []jsonFix `json:"fixes"`
}

type jsonFix struct {
	Label string     `json:"label"`
	Edits []jsonEdit `json:"edits"`
}

type jsonEdit struct {
	Line    int    `json:"line"`
	Col     int    `json:"col"`
	EndLine int    `json:"endLine"`
	EndCol  int    `json:"endCol"`
	Text    string `json:"text"`
}

// WriteJSON prints one line: {"file","ok","message","diagnostics"}. ok is false if a
// diagnostic has severity Error; message is the first error. Lines and columns count
// from 1, columns in bytes; the end is exclusive.
func WriteJSON(w io.Writer, file string, list List) error {
	out := jsonFile{File: file, OK: !list.HasErrors(), Diagnostics: make([]jsonDiag, 0, len(list))}
	for i := range list {
		d := &list[i]
		if d.Severity == Error && out.Message == "" {
			out.Message = d.Msg
		}
		out.Diagnostics = append(out.Diagnostics, jsonDiagnostic(d))
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(out)
}

func jsonDiagnostic(d *Diagnostic) jsonDiag {
	j := jsonDiag{Code: d.Code.String(), Severity: d.Severity.String(), Message: d.Msg, Section: d.Spec, Fixes: []jsonFix{}}
	j.Line, j.Col, j.EndLine, j.EndCol = jsonSpan(d.Source, d.Span)
	for _, f := range d.Fixes {
		j.Fixes = append(j.Fixes, jsonOneFix(d.Source, f))
	}
	return j
}

func jsonOneFix(src *Source, f Fix) jsonFix {
	out := jsonFix{Label: f.Label, Edits: []jsonEdit{}}
	for _, e := range f.Edits {
		je := jsonEdit{Text: e.New}
		je.Line, je.Col, je.EndLine, je.EndCol = jsonSpan(src, e.Span)
		out.Edits = append(out.Edits, je)
	}
	return out
}

func jsonSpan(src *Source, span Span) (line, col, endLine, endCol int) {
	if src == nil {
		return 0, 0, 0, 0
	}
	line, col = src.Position(span.Start)
	endLine, endCol = src.Position(span.End)
	return line, col, endLine, endCol
}
