package jit

// Rows and predicates that are the same in every warp of the launch: constants.

// tableOf is the running part of a table.
func (e *emitter) tableOf(t *[32]uint32) loc {
	first := e.part * e.lanes
	return loc{kind: inMem, m: e.constRow(tW, func(i int) uint64 { return uint64(t[(first+i)&31]) })}
}
