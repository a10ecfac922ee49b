package debug

// This file shows registers of a warp as the matrix that they are a fragment of.

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/tensor"
	"ptxvm.invalid/ptxvm/internal/value"
)

// Matrix is elements by row and column.
type Matrix struct {
	Rows, Columns int
	Type          value.Type
	Cells         []Value
}

// fragmentName is how a fragment is called: mma.m16n8k16.a.f16.
var fragmentName = regexp.MustCompile(`^mma\.m(8|16)n8k(4|8|16|32|64|128|256)\.([abcd])\.([a-z0-9]+)$`)

// Fragment reads registers of all lanes as a matrix. registers is a list, or a range such as %r4..%r7.
func (s *Scope) Fragment(registers, as string) (*Matrix, error) {
	if s.Warp == nil {
		return nil, ErrNotRunning
	}
	parts := fragmentName.FindStringSubmatch(as)
	if parts == nil {
		return nil, fmt.Errorf("No fragment \"%s\": want one such as mma.m16n8k16.a.f16, with a, b, c or d and a type (explain mma shows them).", as)
	}
	t, err := value.ParseType(parts[4])
	if err != nil {
		return nil, fmt.Errorf("No type \"%s\": want one of PTX, such as f16.", parts[4])
	}
	p := tensor.Product{N: 8, Bits: t.Bits()}
	p.M, _ = strconv.Atoi(parts[1]) // it is digits
	p.K, _ = strconv.Atoi(parts[2])
	if p.M == 8 && p.K == 4 && p.Bits == 16 {
		return nil, fmt.Errorf("%s is four products side by side, which print frag does not show.", as)
	}
	rows, err := s.rowsOf(registers)
	if err != nil {
		return nil, err
	}
	m := &Matrix{Type: t}
	place := func(lane, i int) (row, column int) { return p.C(lane, i) }
	switch n := p.PerRegister(); parts[3] {
	case "a":
		m.Rows, m.Columns = p.M, p.K
		place = func(lane, i int) (int, int) { return p.A(lane, i/n, i%n) }
	case "b":
		m.Rows, m.Columns = p.K, p.N
		place = func(lane, i int) (int, int) { return p.B(lane, i/n, i%n) }
	default:
		m.Rows, m.Columns = p.M, p.N
	}
	return m, m.fill(rows, as, place)
}

// fill puts the elements of all lanes where they belong.
func (m *Matrix) fill(rows []fragmentRow, as string, place func(lane, i int) (row, column int)) error {
	m.Cells = make([]Value, m.Rows*m.Columns)
	bits, count := m.Type.Bits(), m.Rows*m.Columns/32
	per := rows[0].bits / bits
	if per == 0 || count != per*len(rows) {
		return fmt.Errorf("%s is %d elements of %d bits a lane: want %d registers of %d bits, not %d.", as, count, bits, max(1, count*bits/rows[0].bits), rows[0].bits, len(rows))
	}
	for lane := range 32 {
		for i := range count {
			row, column := place(lane, i)
			m.Cells[row*m.Columns+column] = cut(rows[i/per].held.Low[lane]>>(i%per*bits), m.Type)
		}
	}
	return nil
}

// fragmentRow is a register of all lanes.
type fragmentRow struct {
	held regs.Register
	bits int
}

// maxFragment bounds the registers of a fragment.
const maxFragment = 256

// rowsOf reads a list of registers, or a range.
func (s *Scope) rowsOf(text string) (list []fragmentRow, err error) {
	names := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,{}", r) })
	if from, to, ok := strings.Cut(text, ".."); ok {
		if names, err = registerRange(strings.TrimSpace(from), strings.TrimSpace(to)); err != nil {
			return nil, err
		}
	}
	for _, name := range names {
		r := s.Func.Reg(name)
		if r == ir.NoReg {
			return nil, (&evaluation{s, s.Lane}).noRegister(name)
		}
		row, used := s.rows.of(s.Func)(r)
		one := fragmentRow{bits: int(s.Func.Regs[r].Bits)}
		if used {
			one.held = s.Frame.Register(row)
		}
		list = append(list, one)
	}
	if len(list) == 0 || len(list) > maxFragment {
		return nil, fmt.Errorf("Want registers, such as %%r4..%%r7, not \"%s\".", text)
	}
	return list, nil
}

// registerRange lists the registers from one to another whose names differ in their numbers.
func registerRange(from, to string) (names []string, err error) {
	stem := strings.TrimRight(from, "0123456789")
	first, err1 := strconv.Atoi(strings.TrimPrefix(from, stem))
	last, err2 := strconv.Atoi(strings.TrimPrefix(to, stem))
	if err1 != nil || err2 != nil || !strings.HasPrefix(to, stem) || last < first || last-first >= maxFragment {
		return nil, fmt.Errorf("\"%s..%s\" is no range of registers.", from, to)
	}
	for n := first; n <= last; n++ {
		names = append(names, stem+strconv.Itoa(n))
	}
	return names, nil
}
