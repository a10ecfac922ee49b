package jit

// Bases of accesses in general registers: what one access has loaded serves the next ones, as long as
// nothing has written the register (x86.Asm.Kept) and nobody has given the base another value.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// keepers are the registers that keep bases. Few operations take them.
var keepers = [...]x86.Reg{x86.R11, x86.R10, x86.RCX}

// keptBase is what one of them keeps: the base of a run, of the host's if it is in shared memory.
type keptBase struct {
	key coverKey
	run int
	any bool
}

// kept is the register with the base of a run, in code for full warps: of patterns, and in shared
// memory only of bases whose tests have left the host's.
func (s *static) kept(run int) (x86.Reg, bool) {
	key := s.key()
	from, size := x86.Mem{}, x86.S64
	switch v := s.acc.c.covered[key]; {
	case !s.acc.c.allows(Kept) || s.acc.masked || !s.acc.absolute() && (key.pat == nil && key.slot == 0 || s.acc.m.By == sem.ByConst):
		return 0, false
	case s.acc.bound >= 0 && key.pat == nil:
		from, size = s.acc.c.regs(key.slot), s.acc.src[0].typ.size()
	case s.acc.bound >= 0:
		from, size = key.pat.number(run), key.pat.typ.size()
	case v.host != 0:
		from = hostAt(v.host, run)
	default:
		return 0, false
	}
	key.store = false // the base of loads is that of stores
	for i, r := range keepers {
		if s.acc.c.bases[i] == (keptBase{key, run, true}) && s.acc.c.Kept(r) && s.acc.c.uses(Kept) {
			return r, true
		}
	}
	s.acc.c.nextKeeper()
	r := keepers[s.acc.c.turn]
	s.acc.c.RM(x86.MOV, size, r, from)
	s.acc.c.Keep(r)
	s.acc.c.bases[s.acc.c.turn] = keptBase{key, run, true}
	return r, true
}

// nextKeeper turns to the register for the next base: none in which bits of predicates are being collected, which are
// never in all of them.
func (c *compiler) nextKeeper() {
	for c.turn = (c.turn + 1) % len(keepers); slices.Contains(c.collecting, keepers[c.turn]); {
		c.turn = (c.turn + 1) % len(keepers)
	}
}

// unkeep forgets the bases that an instruction has changed.
func (c *compiler) unkeep(s *step) {
	for i := range c.bases {
		if b := &c.bases[i]; b.any && c.changes(s, b.key) {
			b.any = false
		}
	}
}
