package main

// Running vector files: many blocks an image, one launch for each 32 cases of lanes and for
// each case of a warp.

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/testkit/vec"
)

// batch bounds the kernels of one image: one bad kernel costs the images of its batch.
const batch = 64

// outcome is what the device says about one file.
type outcome struct {
	confirmed map[int]bool // lines of cases
	differ    []string     // file:line: what, want, have
	known     int          // rows that say so: lanes that differ, and cases of blocks that fail
	failed    []string     // blocks that could not be assembled or run
	skipped   int          // blocks that this target does not have, or that wait for execution
}

// unit is one block ready to run.
type unit struct {
	*vec.Wrapped
	kernel string
}

// vectors runs the blocks of one file.
func (m *machine) vectors(blocks []*vec.Block) *outcome {
	o := &outcome{confirmed: map[int]bool{}}
	for _, units := range m.batches(blocks, o) {
		m.runBatch(units, o)
	}
	return o
}

// batches groups blocks that can share a module: those with equal headers.
func (m *machine) batches(blocks []*vec.Block, o *outcome) (list [][]unit) {
	open := map[string]int{} // header → index of the batch that still has room
	for i, b := range blocks {
		w, err := vec.WrapFor(b, m.target.String())
		if b.Todo != "" || err != nil || !m.target.Satisfies(w.Target) || w.Multicast() {
			o.skipped++
			continue
		}
		header := w.Header()
		at, known := open[header]
		if !known || len(list[at]) == batch {
			at = len(list)
			open[header] = at
			list = append(list, nil)
		}
		list[at] = append(list[at], unit{w, fmt.Sprintf("k%d", i)})
	}
	return list
}

// runBatch assembles and loads blocks together; if that fails, each alone, so that one error costs
// one block.
func (m *machine) runBatch(units []unit, o *outcome) {
	image, err := m.image(units)
	var mod Module
	if err == nil {
		mod, err = m.driver.Load(image)
	}
	switch {
	case err == nil:
		m.runImage(mod, image, units, o)
	case len(units) > 1:
		for i := range units {
			m.runBatch(units[i:i+1], o)
		}
	default:
		m.fail(o, units[0], err)
	}
}

// fail counts a block that cannot be run: as known if each of its rows says so.
func (m *machine) fail(o *outcome, u unit, err error) {
	if !slices.ContainsFunc(u.Cases, func(c vec.Case) bool { return !m.known(&c) }) {
		o.known += len(u.Cases)
		return
	}
	o.failed = append(o.failed, fmt.Sprintf("%s:%d: %s: %v", u.File, u.Line, u.Text, err))
}

// image assembles the kernels of a batch.
func (m *machine) image(units []unit) ([]byte, error) {
	var b strings.Builder
	b.WriteString(units[0].Header())
	for _, u := range units {
		b.WriteString(u.Kernel(u.kernel))
	}
	return m.assemble(b.String(), m.target)
}

// runImage runs every kernel of an image. A launch that fails loses the context: the rest goes
// on in a new one.
func (m *machine) runImage(mod Module, image []byte, units []unit, o *outcome) {
	for i, u := range units {
		err := m.runUnit(mod, u, o)
		if err == nil {
			continue
		}
		m.fail(o, u, err)
		if err = m.restart(); err == nil {
			mod, err = m.driver.Load(image)
		}
		if err != nil {
			m.fail(o, u, fmt.Errorf("%d blocks after it are not asked: %w", len(units)-i-1, err))
			return
		}
	}
	if err := mod.Unload(); err != nil {
		m.fail(o, units[len(units)-1], err)
	}
}

// runUnit runs the cases of one block and sorts them.
func (m *machine) runUnit(mod Module, u unit, o *outcome) error {
	for _, l := range u.Launches() {
		out, err := m.launch(mod, u, l)
		if err != nil {
			return err
		}
		differ := map[*vec.Case]bool{}
		for _, d := range u.Compare(l, out) {
			differ[d.Case] = true
			if m.known(d.Case) {
				o.known++
				continue
			}
			o.differ = append(o.differ, fmt.Sprintf("%s:%d: %s: lane %d: %s: want %s (%s), have %s", u.File, d.Case.Line, u.Text, d.Lane, d.Name, d.Want, d.Case.Source, d.Have))
		}
		for _, c := range l.Cases {
			if !differ[c] && !m.known(c) {
				o.confirmed[c.Line] = true
			}
		}
	}
	return nil
}

// known tells a row that says how the device differs, or that a device does not answer alike twice.
func (m *machine) known(c *vec.Case) bool {
	return strings.Contains(c.Source, differs+m.driver.Device().Target)
}

// launch copies a launch's memory in, runs it on one warp and copies the results out.
func (m *machine) launch(mod Module, u unit, l *vec.Launch) (out []byte, err error) {
	handles, err := m.arrays.handles(m.driver, u.Images())
	if err != nil {
		return nil, err
	}
	var at [3]Address
	for i, data := range [][]byte{l.In, make([]byte, l.OutBytes), l.Memory(handles)} {
		if at[i], err = m.buffer(data); err != nil {
			return nil, err
		}
	}
	args := [][]byte{at[0].param(), at[1].param(), at[2].param(), binary.LittleEndian.AppendUint32(nil, l.Mask), l.Params, l.Pattern}
	if err := mod.Launch(u.kernel, [3]uint32{1, 1, 1}, [3]uint32{32, 1, 1}, args); err != nil {
		return nil, err
	}
	out = make([]byte, l.OutBytes)
	err = m.driver.Read(at[1], out)
	for _, a := range at {
		err = errors.Join(err, m.driver.Free(a))
	}
	return out, err
}

// print reports one file.
func (o *outcome) print(w io.Writer, file string) {
	for _, list := range [][]string{o.differ, o.failed} {
		for _, line := range list {
			fmt.Fprintln(w, line)
		}
	}
	fmt.Fprintf(w, "%s: %d rows confirmed, %d differ, %d differ as they say, %d blocks failed, %d blocks not for this device\n", file, len(o.confirmed), len(o.differ), o.known, len(o.failed), o.skipped)
}
