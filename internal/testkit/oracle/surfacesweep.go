package main

// The surface sweep: every question of surfacecases.go on the device, one launch each, held to what
// ptxvm answers; where they differ, which position of which assumption has the device's answer.

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/testkit/vec"
)

// question is a case with what ptxvm answers: by default, and by each of the other positions.
type question struct {
	*surfaceCase
	want   result
	others []result // as otherPositions
}

// surfaces is a sweep under way.
type surfaces struct {
	*machine
	out, errs io.Writer
	table     io.Writer
	positions []position
	images    map[*access][]byte
	modules   map[*access]Module // of the context
	decided   map[assume.Assumption]*decision
	differ    int
	failed    int
}

// surfaceSweep runs the cases whose statement begins with only, from the given one on; count 0 is
// all of them, and faults 0 all of those that fault by ptxvm. It returns how many cases differ and how
// many could not be asked.
func (m *machine) surfaceSweep(only string, from, count uint64, faults int, out, errs, table io.Writer) (differ, failed int, err error) {
	list, err := m.questions(only)
	if err != nil {
		return 0, 0, err
	}
	s := &surfaces{machine: m, out: out, errs: errs, table: table, positions: otherPositions(), images: map[*access][]byte{},
		modules: map[*access]Module{}, decided: map[assume.Assumption]*decision{}}
	for _, g := range surfaceAssumptions {
		s.decided[g] = &decision{has: make([]int, len(assume.Table[g].Positions))}
	}
	if err := s.plain(); err != nil {
		return 0, 0, err
	}
	list = fewer(list, faults)
	total := uint64(len(list))
	from = min(from, total)
	end := total
	if count != 0 {
		end = from + min(count, total-from)
	}
	done := from
	for ; done < end && err == nil; done++ {
		err = s.ask(list[done])
	}
	s.summary()
	fmt.Fprintf(out, "cases %d to %d of %d: %d differ, %d failed\n", from, done, total, s.differ, s.failed)
	if err != nil {
		err = fmt.Errorf("%w; the rest: -from %d", err, done)
	}
	return s.differ, s.failed, err
}

// questions lists the cases with ptxvm's answers. Those that end in a fault come last: a device
// may not recover from one.
func (m *machine) questions(only string) (list []*question, err error) {
	ptxvms := []*emulation{}
	for _, p := range append([]position{{}}, otherPositions()...) {
		e, err := newEmulation(m.target, p)
		if err != nil {
			return nil, err
		}
		defer e.d.Close()
		ptxvms = append(ptxvms, e)
	}
	var loaded *access
	for _, c := range surfaceCases() {
		if !strings.HasPrefix(c.op, only) {
			continue
		}
		if c.access != loaded {
			if err := load(ptxvms, c.access, m); err != nil {
				return nil, err
			}
			loaded = c.access
		}
		q, err := answers(ptxvms, c)
		if err != nil {
			return nil, fmt.Errorf("%v: %w", c, err)
		}
		list = append(list, q)
	}
	if list == nil {
		return nil, fmt.Errorf("no statement of the surface sweep begins with %q", only)
	}
	slices.SortStableFunc(list, func(a, b *question) int { return cmp.Compare(ended(a), ended(b)) })
	return list, nil
}

// fewer leaves of the cases of each statement that fault n, those of the next statement at other
// places; 0 leaves all. The process that each costs takes a third of a second.
func fewer(list []*question, n int) []*question {
	first := slices.IndexFunc(list, func(q *question) bool { return q.want.fault })
	if n == 0 || first < 0 {
		return list
	}
	few := slices.Clone(list[:first])
	statement := 0
	for rest := list[first:]; len(rest) > 0; statement++ {
		end := slices.IndexFunc(rest, func(q *question) bool { return q.access != rest[0].access })
		if end < 0 {
			end = len(rest)
		}
		for k := range min(n, end) {
			few = append(few, rest[(statement+k*end/n)%end])
		}
		rest = rest[end:]
	}
	return few
}

// ended is 1 for a question that ends in a fault.
func ended(q *question) int {
	if q.want.fault {
		return 1
	}
	return 0
}

// load compiles a statement's kernel for every emulation.
func load(ptxvms []*emulation, a *access, m *machine) error {
	mod, err := ptxvm.Compile(a.op, []byte(a.kernel(m.target)), nil)
	if err != nil {
		return err
	}
	for _, e := range ptxvms {
		if err := e.load(a, mod); err != nil {
			return err
		}
	}
	return nil
}

// answers puts one question to every emulation.
func answers(ptxvms []*emulation, c *surfaceCase) (*question, error) {
	q := &question{surfaceCase: c}
	for i, e := range ptxvms {
		r, err := e.answer(c)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			q.want = r
		} else {
			q.others = append(q.others, r)
		}
	}
	return q, nil
}

// ask puts one question to the device and writes its row. An error is one after which no further
// question makes sense.
func (s *surfaces) ask(q *question) error {
	have, err := s.device(q.surfaceCase)
	if err != nil && strings.Contains(err.Error(), unsupported) {
		fmt.Fprintf(s.table, "%v: %v %s %s\n", q, err, hardware, s.driver.Device().Target)
		return nil
	}
	if err != nil {
		s.failed++
		fmt.Fprintf(s.errs, "%v: %v\n", q, err)
		return s.fresh()
	}
	line := fmt.Sprintf("%v = %s %s %s", q, have.write(q.surfaceCase), hardware, s.driver.Device().Target)
	if have != q.want {
		s.differ++
		line += fmt.Sprintf(": want %s, have %s; %s", q.want.write(q.surfaceCase), have.write(q.surfaceCase), s.who(q, have))
		fmt.Fprintln(s.out, line)
	}
	fmt.Fprintln(s.table, line)
	s.decide(q, have)
	if have.fault {
		return s.fresh()
	}
	return nil
}

// unsupported is a driver's answer to an image whose statement the device lacks (suq.array_size of
// ptxas 13.5 on sm_90): no device can be asked what it would give.
const unsupported = "CUDA_ERROR_NOT_SUPPORTED"

// device answers a question on the device.
func (s *surfaces) device(q *surfaceCase) (r result, err error) {
	mod, err := s.module(q.access)
	if err != nil {
		return r, err
	}
	a, err := s.arrays.get(s.driver, q.array, 0)
	if err != nil {
		return r, err
	}
	out, err := s.buffer(poison())
	if err != nil {
		return r, err
	}
	err = mod.Launch("surface", [3]uint32{1, 1, 1}, [3]uint32{1, 1, 1}, q.args(out, a.Surface()))
	if isFault(err) {
		return result{fault: true}, nil
	}
	if err != nil {
		return r, err
	}
	read, image := make([]byte, outBytes), make([]byte, a.bytes)
	err = errors.Join(s.driver.Read(out, read), a.Read(image), s.driver.Free(out))
	return result{read: string(read), image: string(image)}, err
}

// module is the image of a statement, loaded in this context.
func (s *surfaces) module(a *access) (Module, error) {
	if mod := s.modules[a]; mod != nil {
		return mod, nil
	}
	image := s.images[a]
	if image == nil {
		var err error
		if image, err = s.assemble(a.kernel(s.target), s.target); err != nil {
			return nil, err
		}
		s.images[a] = image
	}
	mod, err := s.driver.Load(image)
	if err == nil {
		s.modules[a] = mod
	}
	return mod, err
}

// fresh gives the device a new context and makes sure that it works: what a fault leaves behind
// must not be taken for the next answer.
func (s *surfaces) fresh() error {
	s.modules = map[*access]Module{}
	if err := s.restart(); err != nil {
		return fmt.Errorf("no new context after a fault: %w", err)
	}
	if err := s.plain(); err != nil {
		return fmt.Errorf("the device does not recover from a fault: %w", err)
	}
	return nil
}

// known is a load that every device must do.
var known = &surfaceCase{access: &access{op: "suld.b.1d.b32.trap", geometry: ptxvm.Array1D, bits: 32, count: 1}, array: arrayOf(ptxvm.Array1D, "u32x1", 8)}

// plain asks for it.
func (s *surfaces) plain() error {
	r, err := s.device(known)
	if err == nil && (r.fault || r.read[:4] != string(vec.Pattern(4))) {
		err = fmt.Errorf("have %s", r.write(known))
	}
	if err != nil {
		return fmt.Errorf("%v in a new context: %w", known, err)
	}
	return nil
}
