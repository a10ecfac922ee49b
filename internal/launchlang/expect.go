package launchlang

// This file compares results with --expect N=DATA, N being a parameter's number or name, or the name
// of a --buf or --global, within --tol.

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/value"
)

// expectation is one --expect.
type expectation struct {
	text, name string
	want       Contents
	from       func() (ptxvm.Buffer, error) // set by bind: where the values are
	label      string
}

// parseExpects reads all.
func parseExpects(texts []string) (list []expectation, err error) {
	for _, text := range texts {
		name, data, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("--expect %s: want N=DATA, N being a parameter's number from 0 or its name", text)
		}
		e := expectation{text: text, name: name}
		if e.want, err = ParseData(data); err == nil && len(e.want.places) > 0 {
			err = fmt.Errorf("addresses are not known before the launch")
		}
		if err != nil {
			return nil, fmt.Errorf("--expect %s: %w", text, err)
		}
		list = append(list, e)
	}
	return list, nil
}

// bindExpects finds what is to be compared, before anything runs.
func (j *Job) bindExpects() error {
	for i := range j.expects {
		e := &j.expects[i]
		have, err := j.bindExpect(e)
		if err == nil {
			err = e.fit(have)
		}
		if err != nil {
			return fmt.Errorf("--expect %s: %w", e.text, err)
		}
	}
	return nil
}

// param reports whether parameter i is meant: by its number, its name, or its name as results show it.
func (e *expectation) param(info ptxvm.KernelInfo, i int) bool {
	return slices.Contains([]string{strconv.Itoa(i), info.Params[i].Name, info.ParamName(i)}, e.name)
}

// bindExpect returns what the memory is declared to hold.
func (j *Job) bindExpect(e *expectation) (Contents, error) {
	params := j.Kernel.Info().Params
	for i, p := range params {
		if e.param(j.Kernel.Info(), i) {
			e.label = p.Name
			return j.bindParam(e, i)
		}
	}
	for _, n := range j.Session.named {
		if n.name == e.name {
			e.label, e.from = n.name, func() (ptxvm.Buffer, error) { return n.buffer, nil }
			return n.start, nil
		}
	}
	return Contents{}, fmt.Errorf("no parameter, --buf or --global is called %q; %s", e.name, j.Kernel.Info().Signature())
}

// bindParam takes the buffer of a parameter, or what its address points to.
func (j *Job) bindParam(e *expectation, i int) (Contents, error) {
	spec := &j.Specs[i]
	if spec.buf != nil {
		e.from = func() (ptxvm.Buffer, error) { return j.buffers[i], nil }
		return spec.buf.start, nil
	}
	if len(spec.places) != 1 || len(spec.value) != addressSize {
		return Contents{}, fmt.Errorf("--arg %s is no buffer", spec.text)
	}
	to := spec.places[0].to
	n, err := j.find(to.name)
	if err != nil {
		return Contents{}, err
	}
	e.from = func() (ptxvm.Buffer, error) { return n.buffer.Slice(int(to.add), n.buffer.Len()), nil }
	have := n.start
	have.size -= int(to.add)
	return have, nil
}

// fit holds size and type of what is expected against what there will be. Raw files, and .npy where
// NumPy has no such type, take the buffer's type.
func (e *expectation) fit(have Contents) error {
	want, is := e.want.Type.Name(), have.Type.Name()
	switch {
	case is == "" || want == is:
	case want == "" || strings.HasPrefix(want, "u") && e.want.Type.Size() == have.Type.Size():
		e.want.Type = have.Type
	default:
		return fmt.Errorf("DATA is %s, %s is %s", want, e.label, is)
	}
	if e.want.size != have.size {
		return fmt.Errorf("DATA has %d bytes, %s has %d", e.want.size, e.label, have.size)
	}
	return nil
}

// maxDifferences is how many are shown of each buffer.
const maxDifferences = 16

// Mismatch is a result that differs; the JSON names are part of the contract.
type Mismatch struct {
	Name   string       `json:"name"`
	Type   string       `json:"type"`
	Count  int          `json:"count"` // of differences
	Values int          `json:"values"`
	First  []difference `json:"first"`
}

type difference struct {
	Index int     `json:"index"`
	Want  string  `json:"want"`
	Have  string  `json:"have"`
	ULP   *uint64 `json:"ulp"` // null from or to a NaN, or without a type
}

// Compare holds the expectations against memory.
func (j *Job) Compare() (list []Mismatch, err error) {
	for i := range j.expects {
		e := &j.expects[i]
		b, err := e.from()
		if err != nil {
			return nil, err
		}
		have := make([]byte, e.want.size)
		if err := ptxvm.Download(b, have); err != nil {
			return nil, err
		}
		want, err := e.want.Data()
		if err != nil {
			return nil, fmt.Errorf("--expect %s: %w", e.text, err)
		}
		m := Mismatch{Name: e.label, Type: e.want.Type.Name(), Values: len(want) / e.want.Type.Size()}
		var first []value.Difference
		if first, m.Count = e.want.Type.Compare(have, want, j.within, maxDifferences); m.Count == 0 {
			continue
		}
		for _, d := range first {
			m.First = append(m.First, asDifference(d))
		}
		list = append(list, m)
	}
	return list, nil
}

func asDifference(d value.Difference) difference {
	out := difference{Index: d.Index, Want: d.Want, Have: d.Have}
	if d.Apart {
		out.ULP = &d.ULP
	}
	return out
}

// DiffersError is results that differ from --expect: exit 6.
type DiffersError struct{ List []Mismatch }

func (e *DiffersError) Error() string { return fmt.Sprintf("%d result(s) differ", len(e.List)) }

// Write prints a table for each result that differs.
func (e *DiffersError) Write(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
	for _, m := range e.List {
		fmt.Fprintf(t, "differs: %s: %d of %d values\n", m.Name, m.Count, m.Values)
		fmt.Fprint(t, "index\twant\thave\tulp\t\n")
		for _, d := range m.First {
			ulp := "-"
			if d.ULP != nil {
				ulp = strconv.FormatUint(*d.ULP, 10)
			}
			fmt.Fprintf(t, "%d\t%s\t%s\t%s\t\n", d.Index, d.Want, d.Have, ulp)
		}
		if m.Count > len(m.First) {
			fmt.Fprintf(t, "… %d more\n", m.Count-len(m.First))
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	return nil
}
