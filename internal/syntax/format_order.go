package syntax

// This file puts the words of a statement into the formatter's order.

import (
	"cmp"
	"slices"
)

// permute prints tokens in the places of others. Comments between the places stay where they are.
func (l *layout) permute(places, tokens []TokenID) {
	for i, p := range places {
		if p != tokens[i] {
			l.print[p] = tokens[i]
		}
	}
}

// modifiers prints the modifiers of an instruction in an order; the bank of .const[n] goes with its word.
func (l *layout) modifiers(in *Instruction, order []TokenID) {
	var places, tokens []TokenID
	for i, m := range in.Mods {
		places, tokens = append(places, l.modifier(in, m)...), append(tokens, l.modifier(in, order[i])...)
	}
	if !slices.Equal(places, tokens) {
		l.permute(places, tokens)
		for _, p := range places {
			l.set(p, gapGlue)
		}
	}
}

// modifier lists the tokens of one modifier.
func (l *layout) modifier(in *Instruction, m TokenID) []TokenID {
	if in.Bank == NoToken || l.f.Next(l.f.Next(m)) != in.Bank {
		return []TokenID{m}
	}
	return []TokenID{m, l.f.Next(m), in.Bank, l.f.Next(in.Bank)}
}

// specifiers puts the specifiers of a declaration before its vector and type into the order of
// compilers: state space, attributes, alignment.
func (l *layout) specifiers(v *Variables) {
	begin, end := v.First, v.Type
	if v.Linkage != NoToken {
		begin = l.f.Next(v.Linkage)
	}
	if v.Vector != NoToken {
		end = v.Vector
	}
	var places []TokenID
	var groups [][]TokenID // each a word with its arguments
	depth := 0
	for t := begin; t < end; t = l.f.Next(t) {
		switch k := l.f.Kind(t); {
		case k == LParen:
			depth++
		case k == RParen:
			depth--
		case k == DotWord && depth == 0:
			groups = append(groups, nil)
		}
		places = append(places, t)
		groups[len(groups)-1] = append(groups[len(groups)-1], t)
	}
	slices.SortStableFunc(groups, func(a, b []TokenID) int { return cmp.Compare(l.rank(a[0]), l.rank(b[0])) })
	l.permute(places, slices.Concat(groups...))
}

func (l *layout) rank(specifier TokenID) int {
	return slices.Index([]Word{WordAttribute, WordAlign}, l.f.Word(specifier))
}
