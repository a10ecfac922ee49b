package whence

// This file finds where two launches part: the first store that leaves something else, then, back through what it was made of, the
// instructions that give other values of equal operands, or that are not the same.

import (
	"context"
	"fmt"
	"io"
	"strings"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/launchlang"
)

// mostParting bounds how far it is looked back.
const mostParting = MostValues

// Side is one of two launches.
type Side struct {
	Name  string          // A or B
	Job   *launchlang.Job // that has run, whose memory is still there
	Again Again
}

// Part prints the first store that differs, and from where on; most bounds the bytes that are kept of what each launch executes.
func Part(ctx context.Context, out io.Writer, sides [2]*Side, changes []*Change, most int64) error {
	at, index, err := firstStore(ctx, sides, changes, most)
	if err != nil {
		return err
	}
	if at == nil {
		fmt.Fprintln(out, "no store of A alone, interpreted on one thread, leaves this: it comes of the order of its warps, or of compiled code")
		return nil
	}
	var found [2]*Explanation
	for i, d := range sides {
		e := launchlang.Element{Memory: at.at[i], Index: index}
		if found[i], err = d.explain(ctx, e, most); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "first store that differs: %s[%d]\n", at.at[0].Name, index)
	for i, d := range sides {
		if found[i].root == nil {
			fmt.Fprintf(out, "  %s does not write it\n", d.Name)
			continue
		}
		fmt.Fprintf(out, "  %s  %s\n", d.Name, found[i].form().Line(found[i].root, ""))
	}
	if found[0].root == nil || found[1].root == nil {
		return nil
	}
	if a, b := found[0].value, found[1].value; a == b {
		fmt.Fprintf(out, "recorded, which interprets both on one thread, both leave %s: the difference comes of compiled code, or of the order of warps\n", a)
		return nil
	}
	a, b, why := descend(found[0].root, found[1].root)
	fmt.Fprintf(out, "it follows from: %s\n", why)
	for i, o := range []*ptxvm.Origin{a, b} {
		found[i].form().Tree(out, o, "  "+sides[i].Name+"  ", "     ", 4)
	}
	return nil
}

// firstStore is the element that differs and whose last store comes first in A, or, where A writes none of them, in B.
func firstStore(ctx context.Context, sides [2]*Side, changes []*Change, most int64) (at *Change, index int, err error) {
	for i, d := range sides {
		err = d.Again(ctx, &ptxvm.Record{Max: most}, func(_ *launchlang.Job, r *ptxvm.Record) error {
			addr, ok, err := r.FirstLast(func(addr uint64) bool { return changed(changes, i, addr) != nil })
			if err != nil {
				return recordFull(err)
			}
			if ok {
				at = changed(changes, i, addr)
				index = int(addr-at.at[i].Buffer.Addr()) / at.at[0].Type.Size()
			}
			return nil
		})
		if err != nil || at != nil {
			return at, index, err
		}
	}
	return nil, 0, nil
}

// changed is the memory in which a byte of a side differs; nil if it does not.
func changed(changes []*Change, side int, addr uint64) *Change {
	for _, c := range changes {
		if c.holds(side, addr) {
			return c
		}
	}
	return nil
}

// explain finds where an element of a side comes from.
func (d *Side) explain(ctx context.Context, e launchlang.Element, most int64) (told *Explanation, err error) {
	ask := &Question{Element: e.String(), Depth: mostParting, Values: mostParting, Memory: most}
	return ask.Ask(ctx, d.Again)
}

// descend goes back from two values that differ, as long as as many of the one's sources differ as of the other's: to the first of these,
// whatever the two instructions are. So the two need not have the same instructions in the same order. It skips what only hands
// values on.
func descend(a, b *ptxvm.Origin) (x, y *ptxvm.Origin, why string) {
	for range mostParting {
		a, b = handedOn(a), handedOn(b)
		switch {
		case a.Cut || b.Cut || a.Beyond || b.Beyond:
			return a, b, "these, behind which it is not followed"
		case a.Step == nil || b.Step == nil:
			return a, b, "what one of the two has not computed"
		}
		from, to := unequal(a.Sources, b.Sources)
		switch {
		case opcode(a.Step) != opcode(b.Step) && (behind(to, a, mostJoined) || behind(from, b, mostJoined)):
			return a, b, "other instructions: one of the two makes in one step what the other makes in several"
		case len(from) != 0 && len(from) == len(to):
			a, b = from[0], to[0]
		case opcode(a.Step) != opcode(b.Step):
			return a, b, "other instructions"
		case len(from) == 0 && len(to) == 0:
			return a, b, "the same instruction, whose operands from registers and memory are equal"
		default:
			return a, b, fmt.Sprintf("operands that have no counterpart: %d of A's, %d of B's", len(from), len(to))
		}
	}
	return a, b, "these, behind which it is not followed"
}

// mostJoined is how many instructions a compiler joins to one at most, as a product and a sum to an fma.
const mostJoined = 3

// behind reports whether all of some values, at least one, are among those that one was made of in so many steps.
func behind(list []*ptxvm.Origin, o *ptxvm.Origin, steps int) bool {
	for _, want := range list {
		if !made(want, o, steps) {
			return false
		}
	}
	return len(list) != 0
}

// made reports whether a value was made of one with the same bits.
func made(of, o *ptxvm.Origin, steps int) bool {
	if _, computed := resultOf(handedOn(of)); !computed || steps == 0 {
		return false
	}
	for _, s := range handedOn(o).Sources {
		if sameValue(of, s) || made(of, s, steps-1) {
			return true
		}
	}
	return false
}

// handedOn goes back over what changes no bit: stores, loads, moves, shuffles.
func handedOn(o *ptxvm.Origin) *ptxvm.Origin {
	for len(o.Sources) == 1 && !o.Cut && !o.Beyond {
		next := o.Sources[0]
		v, known := resultOf(o)
		w, has := resultOf(next)
		if known && has && v != w || known && next.Kind == ptxvm.OriginInput || next.Kind == ptxvm.OriginUndefined {
			return o
		}
		o = next
	}
	return o
}

// resultOf is the bits of a register that a value is; false of memory.
func resultOf(o *ptxvm.Origin) (bits uint64, ok bool) {
	if o.Kind != ptxvm.OriginComputed {
		return 0, false
	}
	for i := range o.Step.Writes {
		if w := &o.Step.Writes[i]; w.Name == o.Register {
			return w.Bits(o.Lane), true
		}
	}
	return 0, false
}

// unequal are the sources of each that the other does not have with the same bits.
func unequal(a, b []*ptxvm.Origin) (x, y []*ptxvm.Origin) {
	rest := append([]*ptxvm.Origin(nil), b...)
	for _, o := range a {
		at := -1
		for i, r := range rest {
			if sameValue(o, r) {
				at = i
				break
			}
		}
		if at < 0 {
			x = append(x, o)
			continue
		}
		rest = append(rest[:at], rest[at+1:]...)
	}
	return x, rest
}

// sameValue reports whether two values have the same bits. What a launch has found is the same for both.
func sameValue(a, b *ptxvm.Origin) bool {
	a, b = handedOn(a), handedOn(b)
	v, known := resultOf(a)
	w, has := resultOf(b)
	if !known || !has {
		return a.Kind == b.Kind && a.Kind != ptxvm.OriginStored && a.Kind != ptxvm.OriginCopied
	}
	return v == w
}

// opcode is an instruction without its guard and operands.
func opcode(s *ptxvm.Step) string {
	words := strings.Fields(s.Text)
	if len(words) > 1 && strings.HasPrefix(words[0], "@") {
		words = words[1:]
	}
	if len(words) == 0 {
		return ""
	}
	return strings.TrimSuffix(words[0], ";")
}
