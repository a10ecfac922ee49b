package numbers

// This file looks at products of matrices, element by element.

import (
	"fmt"
	"math"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/value"
)

// Multiplied implements machine.Numbers.
func (o *Observer) Multiplied(w *machine.Warp, p *machine.Product) {
	for _, what := range o.classes() {
		var list []cell
		for row := range p.Rows {
			for column := range p.Columns {
				if is(p.Types[3], p.D(row, column), what) && !givenTo(p, row, column, what) {
					list = append(list, cell{row, column})
				}
			}
		}
		if list != nil {
			o.creates(w, productMaking(w, p, what, list))
		}
	}
}

// cell is an element of D.
type cell struct{ row, column int }

// givenTo reports whether an operand is why an element of D is of a class.
func givenTo(p *machine.Product, row, column int, what class) bool {
	if explains(p.Types[2], p.C(row, column), what) || p.Undefined != nil && p.Undefined(row, column) {
		return true
	}
	for i := range p.Terms {
		if a, b, _ := p.Factors(row, column, i); explains(p.Types[0], a, what) || explains(p.Types[1], b, what) {
			return true
		}
	}
	return false
}

// explains reports whether an operand is why a result is of a class: a NaN is why there are NaNs, and so is it, or an infinity, why there
// are infinities.
func explains(elem num.Type, v uint64, what class) bool {
	return is(elem, v, nan) || what == infinity && is(elem, v, infinity)
}

// productMaking is what a product has made in some elements of D. What is in registers of a warp is followed.
func productMaking(w *machine.Warp, p *machine.Product, what class, list []cell) *making {
	m := &making{what: what, place: p.Place, times: len(list), lanes: p.Place.Lanes & -p.Place.Lanes}
	at := func(c cell) (lane int) { return first(m.lanes) }
	if p.Register != nil {
		at = func(c cell) int {
			_, lane := p.Register(c.row, c.column)
			return lane
		}
		m.lanes = 0
		for _, c := range list {
			m.lanes |= 1 << at(c)
		}
		m.place = w.At(p.Place, first(m.lanes))
		m.place.Lanes = m.lanes
		m.holds = func(t *trail) {
			for _, c := range list {
				number, lane := p.Register(c.row, c.column)
				spot := machine.Spot{Frame: p.Frame, At: p.Rows32[number]}
				t.put(spot, 0, 1<<lane, 1<<lane)
			}
		}
	}
	m.words = func() func(lanes uint32) (int, string) {
		words := make(map[int]string) // of the first element of each lane: the matrices do not stay
		for _, c := range list {
			if lane := at(c); words[lane] == "" {
				words[lane] = productWords(p, what, c)
			}
		}
		return func(lanes uint32) (int, string) {
			lane := first(m.lanes)
			if of := m.lanes & lanes; of != 0 {
				lane = first(of)
			}
			return lane, words[lane]
		}
	}
	return m
}

// productWords says what has made an element of D.
func productWords(p *machine.Product, what class, c cell) string {
	why := ""
	if what == nan {
		why = undefinedTerms(p, c)
	} else {
		why = largestTerm(p, c)
	}
	text := fmt.Sprintf("%s → D[%d][%d] = %s in %s", why, p.Row+c.row, p.Column+c.column, number(p.Types[3], p.D(c.row, c.column)), p.Where(c.row, c.column))
	if p.Operands != "" {
		text += "; " + p.Operands
	}
	return text
}

// undefinedTerms are an infinity times zero, or two infinities of different signs, of what an element is the sum of.
func undefinedTerms(p *machine.Product, c cell) string {
	var found [2]string // an infinity, by its sign
	note := func(negative bool, words string) {
		if i := map[bool]int{true: 1}[negative]; found[i] == "" {
			found[i] = words
		}
	}
	if v := p.C(c.row, c.column); is(p.Types[2], v, infinity) {
		note(real(p.Types[2], v) < 0, addend(p, c))
	}
	for i := range p.Terms {
		a, b, _ := p.Factors(c.row, c.column, i)
		if !is(p.Types[0], a, infinity) && !is(p.Types[1], b, infinity) {
			continue
		}
		x := real(p.Types[0], a) * real(p.Types[1], b)
		if math.IsNaN(x) {
			return term(p, c, i)
		}
		note(x < 0, term(p, c, i))
	}
	if found[0] != "" && found[1] != "" {
		return found[0] + ", " + found[1]
	}
	return addend(p, c) + fmt.Sprintf(" and %d products, on the way to whose sum it is", p.Terms)
}

// largestTerm is the product with the largest value, or the addend.
func largestTerm(p *machine.Product, c cell) string {
	most, words := math.Abs(real(p.Types[2], p.C(c.row, c.column))), addend(p, c)
	at := -1
	for i := range p.Terms {
		a, b, _ := p.Factors(c.row, c.column, i)
		if x := math.Abs(real(p.Types[0], a) * real(p.Types[1], b)); x > most {
			most, at = x, i
		}
	}
	if at >= 0 {
		words = term(p, c, at) + ", " + words
	}
	return words
}

// term is one of the products of an element of D.
func term(p *machine.Product, c cell, i int) string {
	a, b, k := p.Factors(c.row, c.column, i)
	row, column := p.Row+c.row, p.Column+c.column
	return fmt.Sprintf("A[%d][%d] = %s, B[%d][%d] = %s", row, k, number(p.Types[0], a), k, column, number(p.Types[1], b))
}

// addend is what an element of D was added to.
func addend(p *machine.Product, c cell) string {
	return fmt.Sprintf("C[%d][%d] = %s", p.Row+c.row, p.Column+c.column, number(p.Types[2], p.C(c.row, c.column)))
}

// real is an element's value.
func real(elem num.Type, v uint64) float64 {
	t, err := value.ParseType(elem.String())
	if err != nil {
		return 0
	}
	return t.Number(t.Append(nil, v))
}
