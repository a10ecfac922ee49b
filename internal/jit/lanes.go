package jit

// Rows and predicates that are the same in every warp of the launch: constants.

import "ptxvm.invalid/ptxvm/internal/jit/x86"

// tableOf is the running part of a table.
func (e *emitter) tableOf(t *[32]uint32) loc {
	first := e.part * e.lanes
	return loc{kind: inMem, m: e.constRow(tW, func(i int) uint64 { return uint64(t[(first+i)&31]) })}
}

// truthOf is the running part of truth values that are known.
func (e *emitter) truthOf(mask uint32) loc {
	first := e.part * e.lanes
	if e.evex {
		k := e.allocK()
		e.KM(x86.KMOVW, k, e.Const32(mask>>first&0xffff))
		return loc{kind: inK, k: k, owned: true}
	}
	t := tW
	if e.wide {
		t = tX
	}
	return loc{kind: inMem, m: e.constRow(t, func(i int) uint64 { return -uint64(mask >> (first + i) & 1) }), elem: t}
}
