package isa

// This file declares entries: what the parser makes of the notation.

// Entry is one entry of the data: the forms of one meaning.
type Entry struct {
	ID      ID
	Name    string   // add.int
	Section string   // of the 9.1 manual, or of Manual's
	Manual  Version  // the manual that Section numbers; 0: 9.1
	Doc     string   // one line
	About   string   // one or two sentences for explain
	Opcode  []string // glued tokens: mbarrier .try_wait
	Alts    []Alt    // the forms
	Effects Effects
	Notes   []string // where ptxas differs from the manual
	File    string   // of the data
	Line    int

	table    *ISA
	source   string // of the data
	classes  []class
	roles    []Role
	captures []string
	lines    []operandLine
	tables   []table
	rules    []rule
	gates    []gateLine
	checks   []checkLine
	defaults []classValue
	unique   []Class
	first    []valueRef // modifiers that stand before all others, in this order

	whys      []string   // where the judges differ, in words
	freeOrder bool       // modifiers may stand in any order though the judge keeps that of the forms
	ordered   []valueRef // modifiers that keep the order of the forms though the judge does not
	ignored   []ignoredLine
}

// class is a set of modifiers.
type class struct {
	id     Class
	values []Mod
	own    int            // how many of them its clause lists; forms add those that they fix
	binds  [][]binding    // by value; nil if none of them captures
	none   bool           // "absent" is a member
	inForm bool           // a form takes it; else it is a set for conditions
	whys   map[Mod]string // values that are one judge's, and why
}

// binding is a capture of a class value: N = 16 in .m64n16k8.
type binding struct{ capture, value int }

func (c *class) has(m Mod) bool { return c.index(m) >= 0 }

func (c *class) index(m Mod) int {
	for i, v := range c.values {
		if v == m {
			return i
		}
	}
	return -1
}

func (c *class) bindings(m Mod) []binding {
	if i := c.index(m); i >= 0 && c.binds != nil {
		return c.binds[i]
	}
	return nil
}

// Alt is one form: the modifiers and operands that may stand together.
type Alt struct {
	Text     string // as the data has it
	why      string // it is one judge's, and why
	slots    []slot
	operands []operandForm
	groups   int // optional groups of operands, numbered from 1
	families *families
}

// slot is a place for a modifier of a form.
type slot struct {
	mod    Mod // a literal
	class  int // or a class of the entry, -1 for a literal
	only   []Mod
	opt    bool
	group  int  // modifiers of one { } are all there or none; 0: alone
	suffix bool // stands behind an address operand: [a].unified
}

// accepts reports whether the slot takes m.
func (s *slot) accepts(e *Entry, m Mod) bool {
	switch {
	case s.class < 0:
		return m == s.mod
	case s.only != nil:
		return containsMod(s.only, m)
	}
	i := e.classes[s.class].index(m)
	return i >= 0 && i < e.classes[s.class].own
}

func containsMod(list []Mod, m Mod) bool {
	for _, v := range list {
		if v == m {
			return true
		}
	}
	return false
}

// takes reports whether the form has a place for the class.
func (a *Alt) takes(class int) bool {
	for i := range a.slots {
		if a.slots[i].class == class {
			return true
		}
	}
	return false
}

// operandForm is one written operand of a form.
type operandForm struct {
	kind  byte // ' ' one role, '[' an address, '(' a list of parameters, '|' a pair
	parts []operandPart
	group int // optional group, 0: always there
}

type operandPart struct {
	role  int // index in the entry
	group int
}

// operandLine says what an operand may be.
type operandLine struct {
	roles []int
	kinds []operandKind
	when  cond // nil: always
	line  int
}

// operandKind is one alternative of an operand line.
type operandKind struct {
	sorts     sortSet
	vector    *expr // nil: no vector
	types     []typeRef
	wider     bool
	exact     bool
	loose     bool
	minus     bool // its negative, too
	braced    bool // one in braces will do
	bare      bool // no sum of a name and a number
	mixed     bool // a vector: constants beside registers
	short     bool // an address: registers of 32 bits reach global memory, too
	full      bool // an address: no registers of fewer than 32 bits
	cut       bool // a constant: its range is that of its low 32 bits
	sreg      bool // an address: a special register, too
	anyreg    bool // an address: a register of any number
	lenient   bool // ptxas judges elements of vectors, and takes sums with special registers
	sums      bool // a register: a special one and a number, too
	single    bool // a vector: floating-point constants of 32 bits alone, 0f…
	index     int  // a vector: 1 + the element that is the number of a layer
	written   bool // a vector that is written: _ and, beside untyped registers, predicates, too
	whole     bool // a vector: a special register without a component, no list
	selectors []SelectorSet
	ranges    []span
	space     spaceRef
	of        spaceRef // where named variables must be
	ofSet     bool
	align     *expr
}

// span is a range of immediates; a bound may be a column.
type span struct{ lo, hi *expr }

// spaceRef is a state space: fixed or the value of a class.
type spaceRef struct {
	space Space
	class int // -1 if fixed
}

// table restricts classes to its rows and gives numbers.
type table struct {
	name    string
	keys    []int
	columns []int // captures
	rows    []row
}

type row struct {
	cells  [][]valueRef
	values []int
	gate   Gate
	line   int
}

// rule is a require or exclude clause: needs must hold if when does.
type rule struct {
	needs, when cond // needs nil: when must not hold
	iff         bool // and when must hold if needs does
	text        string
	why         string // it is one judge's, and why
	line        int
}

// gateLine is a since or until clause.
type gateLine struct {
	gate  Gate
	when  cond
	until bool
	text  string
	why   string // it is one judge's, and why
}

// ignoredLine is an ignore clause: modifiers that mean nothing in a reading without them.
type ignoredLine struct {
	mods []Mod
	gate Gate // nil: always
	when cond // nil: always
}

type checkLine struct {
	name string
	when cond
}

// classValue is ".class=.value" of a default clause.
type classValue struct {
	name, value string
	class       Class
	mod         Mod
}
