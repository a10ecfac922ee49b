package check

// This file keeps the names that are visible at one place, and resolves uses.

import (
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// scope is one region of names: the module, a function with its parameters, or a
// block in braces (a label inside braces is visible only inside them).
type scope struct {
	names    map[syntax.Word]*Object
	families map[string]*Object // %r<100> by its prefix
	numbered map[string]lowest  // single names that could be members, by every prefix; nil: not asked yet

	familyMarks, memberMarks uint64 // marks of the families, and of the prefixes of single names
}

// mark maps a prefix to one of 64 bits: where that is not set, no map needs to be asked.
func mark(prefix string) uint64 {
	n := len(prefix)
	return 1 << ((uint(prefix[n-1]) + 7*uint(n) + 31*uint(prefix[n>>1])) % 64)
}

// lowest is the single name with the least number behind a prefix.
type lowest struct {
	number int32
	object *Object
}

// scopes is the stack of open scopes, innermost last, with a cache of resolved words.
type scopes struct {
	file  *syntax.File
	open  []scope
	cache []cached               // by Word
	asked int                    // for near names
	words map[string]syntax.Word // spellings, made on demand
	epoch uint32                 // raised whenever a cached answer may have become wrong
}

// cached remembers what a word resolved to; use indexes Info.uses.
type cached struct {
	epoch uint32
	use   int32
}

func newScopes(f *syntax.File, mem *memory) *scopes {
	mem.cache = zeros(mem.cache, len(f.Words))
	return &scopes{file: f, cache: mem.cache, epoch: 1}
}

func (s *scopes) push() { s.open = append(s.open, scope{}) }

func (s *scopes) pop() {
	top := &s.open[len(s.open)-1]
	if len(top.families) > 0 {
		s.epoch++
	} else {
		for word := range top.names {
			s.forget(word)
		}
	}
	s.open = s.open[:len(s.open)-1]
}

// forget drops the cached answer for one word: a single name changes what this word means, and no other.
func (s *scopes) forget(word syntax.Word) { s.cache[word] = cached{} }

// declare enters o into the innermost scope, where its name is free.
func (s *scopes) declare(word syntax.Word, o *Object) {
	top := &s.open[len(s.open)-1]
	if o.Count > 0 || o.Var != nil && o.Var.Count != syntax.NoToken {
		s.epoch++
		if top.families == nil {
			top.families = map[string]*Object{}
		}
		top.families[o.Name] = o
		top.familyMarks |= mark(o.Name)
		return
	}
	s.forget(word)
	if top.names == nil {
		top.names = map[syntax.Word]*Object{}
	}
	top.names[word] = o
	top.number(o)
}

// lookup resolves a word from the innermost scope outwards.
func (s *scopes) lookup(word syntax.Word) (*Object, int32) {
	for i := len(s.open) - 1; i >= 0; i-- {
		if o := s.open[i].names[word]; o != nil {
			return o, 0
		}
		if o, n := s.open[i].member(s.file.Words[word]); o != nil {
			return o, n
		}
	}
	return nil, 0
}

// named is lookup for a name that no token spells.
func (s *scopes) named(name string) *Object {
	if s.words == nil {
		s.words = make(map[string]syntax.Word, len(s.file.Words))
		for w, text := range s.file.Words {
			s.words[text] = syntax.Word(w)
		}
	}
	word, ok := s.words[name]
	if !ok {
		return nil
	}
	o, _ := s.lookup(word)
	return o
}

// member finds the family that a name such as %r17 belongs to; ptxas takes leading zeros, too.
func (sc *scope) member(name string) (*Object, int32) {
	if len(sc.families) == 0 {
		return nil, 0
	}
	for i := len(name) - 1; i > 0; i-- {
		n, ok := familyNumber(name[i:])
		if !ok {
			break
		}
		if sc.familyMarks&mark(name[:i]) == 0 {
			continue
		}
		if o := sc.families[name[:i]]; o != nil && n < o.Count {
			return o, n
		}
	}
	return nil, 0
}

// number notes every prefix of a family that could hold a single name.
func (sc *scope) number(o *Object) {
	for i := len(o.Name) - 1; i > 0; i-- {
		n, ok := familyNumber(o.Name[i:])
		if !ok {
			break
		}
		sc.memberMarks |= mark(o.Name[:i])
		if sc.numbered == nil {
			continue
		}
		if old, ok := sc.numbered[o.Name[:i]]; !ok || n < old.number {
			sc.numbered[o.Name[:i]] = lowest{n, o}
		}
	}
}

// lowestMember is the single name with the least number that a family of this prefix would hold. Most
// prefixes begin no single name, so the table is made when one may.
func (sc *scope) lowestMember(prefix string) (lowest, bool) {
	if sc.memberMarks&mark(prefix) == 0 {
		return lowest{}, false
	}
	if sc.numbered == nil {
		sc.numbered = map[string]lowest{}
		for _, o := range sc.names {
			sc.number(o)
		}
	}
	low, ok := sc.numbered[prefix]
	return low, ok
}

// familyNumber reads the number of a family member. Its families are far smaller than 2^30.
func familyNumber(digits string) (int32, bool) {
	if digits == "" || len(digits) > 9 {
		return 0, false
	}
	n := int32(0)
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return 0, false
		}
		n = n*10 + int32(digits[i]-'0')
	}
	return n, true
}

// family finds the family that a name would belong to if it were larger.
func (s *scopes) family(name string) *Object {
	for i := len(s.open) - 1; i >= 0; i-- {
		for j := len(name) - 1; j > 0; j-- {
			if _, ok := familyNumber(name[j:]); !ok {
				break
			}
			if o := s.open[i].families[name[:j]]; o != nil && o.Count > 0 {
				return o
			}
		}
	}
	return nil
}

// maxNear bounds the search for near names in a file with many undeclared ones.
const maxNear = 50

// near returns the visible name or special register closest to an undeclared one, "" if none is.
func (s *scopes) near(name string) string {
	if s.asked++; s.asked > maxNear {
		return ""
	}
	var names []string
	for i := range s.open {
		for word := range s.open[i].names {
			names = append(names, s.file.Words[word])
		}
	}
	for _, sp := range isa.Specials() {
		names = append(names, sp.Info().Name)
	}
	return isa.Nearest(name, names)
}

// use resolves the name at a token and records it in the side table. Special registers
// come last: %tid and others may be redeclared in a function (facts: ptxas 13.5).
func (c *checker) use(tok syntax.TokenID) (Use, bool) {
	word := c.file.Word(tok)
	if hit := c.scopes.cache[word]; hit.epoch == c.scopes.epoch {
		c.info.byToken[tok] = hit.use + 1
		return c.info.uses[hit.use], true
	}
	u, ok := c.resolve(word)
	if !ok {
		return Use{}, false
	}
	if u.Object != nil && u.Object.Unusable {
		c.errorf(diag.UnknownType, c.at(tok), "%s has the type %v, which no variable in .%v can have", c.text(tok), u.Object.Type, u.Object.Space)
	}
	n := int32(len(c.info.uses))
	c.info.uses = append(c.info.uses, u)
	c.info.byToken[tok] = n + 1
	c.scopes.cache[word] = cached{c.scopes.epoch, n}
	return u, true
}

func (c *checker) resolve(word syntax.Word) (Use, bool) {
	if o, n := c.scopes.lookup(word); o != nil {
		return Use{Object: o, Index: n}, true
	}
	if sp, ok := isa.LookupSpecial(c.file.Words[word]); ok {
		return Use{Special: sp}, true
	}
	return Use{}, false
}
