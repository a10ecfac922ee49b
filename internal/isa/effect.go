package isa

// This file declares what an entry does beside computing its results from its operands: the
// effect clauses as bits, with the strength, scope, proxy and kind that they name.

import (
	"fmt"
	"slices"
	"strings"
)

// Effect is a set of effects.
type Effect uint32

// The effects. Those that concern other lanes of the warp are CrossLane.
const (
	Reads        Effect = 1 << iota // memory: bytes that its address operands name
	Writes                          // memory
	WritesOnce                      // the lanes of the warp make one access together
	Tells                           // its handler tells observers which bytes: lanes share the rows of a matrix
	Faults                          // it may stop the kernel
	Converged                       // all lanes of the warp execute it together (.aligned)
	Gathers                         // waits until the lanes that it names, or all, have come
	Masked                          // the lanes that Gathers waits for are those of operand membermask
	Shuffles                        // lanes that are active together exchange values, without waiting
	Blocks                          // waits for what other threads or asynchronous operations do
	Barrier                         // arrives at a barrier, or waits there
	Syncs                           // orders memory accesses: Effects.Sync
	FencesProxy                     // orders accesses of two proxies: Effects.Proxy
	OrdersFirst                     // tensor memory, before the synchronisation that follows
	OrdersLater                     // tensor memory, after the synchronisation that precedes
	Asynchronous                    // starts, commits or awaits an asynchronous operation: Effects.Async
	Signals                         // arrives at an mbarrier when the operation is complete
	Branches                        // goes elsewhere in the function
	Calls                           // goes to another function and comes back
	Returns                         // leaves the function
	Exits                           // ends the thread
	Hints                           // nothing that a result depends on, though it names an address
)

// CrossLane are the effects of instructions whose result in one lane depends on which other
// lanes execute them, or on their operands.
const CrossLane = Converged | Gathers | Shuffles

// AsyncKind says which group of asynchronous operations an instruction belongs to (9.7.9.25.1, 9.7.15, 9.7.16).
type AsyncKind uint8

// The groups.
const (
	AsyncOther        AsyncKind = iota
	AsyncCopy                   // cp.async
	AsyncBulk                   // cp.async.bulk, cp.reduce.async.bulk
	AsyncStore                  // st.async
	AsyncReduction              // red.async
	AsyncWgmma                  // reads registers after it has been issued
	AsyncTensor                 // tcgen05.mma, cp, shift
	AsyncTensorLoad             // tcgen05.ld: writes registers after it has been issued
	AsyncTensorStore            // tcgen05.st
	AsyncTensorCommit           // tcgen05.commit
)

var asyncKinds = map[string]AsyncKind{
	"": AsyncOther, "cp": AsyncCopy, "bulk": AsyncBulk, "st": AsyncStore, "red": AsyncReduction, "wgmma": AsyncWgmma,
	"tcgen05": AsyncTensor, "tcgen05.ld": AsyncTensorLoad, "tcgen05.st": AsyncTensorStore, "tcgen05.commit": AsyncTensorCommit,
}

// Qualifier is a modifier that an effect names: one of a class, as the statement has it, or a
// fixed one. The zero value is none.
type Qualifier struct {
	Class Class
	Mod   Mod
}

// Of returns the modifier in a statement; the default of a class counts, 0 is none.
func (q Qualifier) Of(sel *Sel) Mod {
	if q.Class != 0 {
		return sel.Default(q.Class)
	}
	return q.Mod
}

// Sync is the ordering of a Syncs effect. Where Strength names nothing, a fixed modifier of the
// form says it.
type Sync struct {
	Strength Qualifier // .acquire, .release, …
	Scope    Qualifier // .cta, .cluster, …
	Warp     bool      // the scope is the warp, which no modifier spells
}

// Effects are the effects of an entry.
type Effects struct {
	Bits  Effect
	Sync  Sync
	Proxy Qualifier
	Async AsyncKind
}

// Has reports whether the entry has one of the effects.
func (e *Effects) Has(x Effect) bool { return e.Bits&x != 0 }

// simpleEffects are the words that stand alone.
var simpleEffects = map[string]Effect{
	"tells": Tells, "fault": Faults, "converged": Converged, "gather": Gathers, "gather membermask": Gathers | Masked, "shuffle": Shuffles,
	"block": Blocks, "barrier": Barrier, "signal bar": Signals, "signal mbar": Signals, "order tcgen05 before": OrdersFirst,
	"order tcgen05 after": OrdersLater, "branch": Branches, "call": Calls, "return": Returns, "exit": Exits, "hint": Hints,
}

// memories are the places that read, write and atomic name beside the classes and operands of the entry.
var memories = map[string]bool{"global": true, "shared": true, "texture": true, "surface": true, "tmem": true}

// effects reads "effect one; another; …".
func (p *entryParser) effects(s string) error {
	for one := range strings.SplitSeq(s, ";") {
		words := strings.Fields(one)
		if err := p.effect(strings.Join(words, " "), words); err != nil {
			return err
		}
	}
	return nil
}

func (p *entryParser) effect(text string, words []string) error {
	e := &p.e.Effects
	if bit, ok := simpleEffects[text]; ok {
		e.Bits |= bit
		return nil
	}
	if len(words) == 0 {
		return fmt.Errorf("an effect without a word")
	}
	rest := words[1:]
	switch words[0] {
	case "read":
		return p.memoryEffect(Reads, rest)
	case "write":
		if n := len(rest); n > 1 && rest[n-1] == "once" {
			e.Bits, rest = e.Bits|WritesOnce, rest[:n-1]
		}
		return p.memoryEffect(Writes, rest)
	case "atomic":
		return p.memoryEffect(Reads|Writes, rest)
	case "async":
		kind, ok := asyncKinds[strings.Join(rest, " ")]
		if !ok {
			return fmt.Errorf("there is no group of asynchronous operations %q", strings.Join(rest, " "))
		}
		e.Bits, e.Async = e.Bits|Asynchronous, kind
		return nil
	case "proxy":
		q, err := p.qualifier(strings.Join(rest, " "))
		e.Bits, e.Proxy = e.Bits|FencesProxy, q
		return err
	case "sync":
		e.Bits |= Syncs
		return p.syncEffect(rest)
	}
	return fmt.Errorf("there is no effect %q", text)
}

// memoryEffect reads the places: state spaces by a class of the entry, by the name of a modifier, or as a memory of its own.
func (p *entryParser) memoryEffect(bits Effect, places []string) error {
	if len(places) == 0 {
		return fmt.Errorf("an access of what? Name a class or a memory")
	}
	for _, place := range places {
		if !memories[place] {
			if _, err := p.qualifier(place); err != nil {
				return err
			}
		}
	}
	p.e.Effects.Bits |= bits
	return nil
}

// syncEffect reads a strength and a scope, in this order; either may be missing.
func (p *entryParser) syncEffect(words []string) error {
	sync := &p.e.Effects.Sync
	for _, word := range words {
		if word == "warp" {
			sync.Warp = true
			continue
		}
		q, err := p.qualifier(word)
		switch {
		case err != nil:
			return err
		case p.isScope(q):
			sync.Scope = q
		default:
			sync.Strength = q
		}
	}
	return nil
}

// scopeNames are the modifiers that name a set of threads (8.5).
var scopeNames = map[string]bool{".cta": true, ".cluster": true, ".gpu": true, ".gl": true, ".sys": true}

// isScope reports whether a qualifier names scopes: by its modifier, or by one of its class.
func (p *entryParser) isScope(q Qualifier) bool {
	mods := []Mod{q.Mod}
	if i, ok := p.classIndex(p.t.classes.name(q.Class)); ok {
		mods = p.e.classes[i].values
	}
	for _, m := range mods {
		if scopeNames[p.t.mods.name(m)] {
			return true
		}
	}
	return false
}

// fixedQualifiers are the modifiers that an effect may name though no class of the entry has them.
var fixedQualifiers = []string{"relaxed", "acquire", "release", "acq_rel", "sc", "cta", "cluster", "gpu", "sys", "alias", "async", "tensormap", "fabric"}

// qualifier reads a class of the entry or a modifier of its forms, both with their dot, or a fixed modifier without it.
func (p *entryParser) qualifier(word string) (Qualifier, error) {
	if i, ok := p.classIndex(word); ok {
		return Qualifier{Class: p.e.classes[i].id}, nil
	}
	if m := p.t.knownMod(word); m != 0 && p.uses.has(m) {
		return Qualifier{Mod: m}, nil
	}
	if slices.Contains(fixedQualifiers, word) {
		return Qualifier{Mod: Mod(p.t.mods.intern("." + word))}, nil
	}
	return Qualifier{}, fmt.Errorf("%q is neither a class nor a modifier of this entry", word)
}
