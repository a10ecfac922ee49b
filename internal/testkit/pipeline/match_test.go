package pipeline

// This file has redux and match.

import (
	"maps"
	"slices"
	"testing"
)

// matchForms combine %r3 or %rd8, few of whose bits differ in some, for the lanes that run.
func matchForms() (list []string) {
	const active = "activemask.b32 %r16; "
	for _, op := range []string{"add.u32", "add.s32", "min.u32", "min.s32", "max.u32", "max.s32", "and.b32", "or.b32", "xor.b32"} {
		list = append(list, active+"redux.sync."+op+" %r10, %r3, %r16", active+"redux.sync."+op+" %r10, %r5, %r16")
	}
	for _, a := range []string{"b32 %r10, %r3", "b32 %r10, %r7", "b32 %r10, %r5", "b32 %r10, %r2", "b64 %r10, %rd8", "b64 %r10, %rd7", "b64 %r10, %rd9"} {
		list = append(list, active+"match.any.sync."+a+", %r16", active+"match.all.sync."+a+", %r16")
	}
	return append(list, active+"match.all.sync.b32 %r10|%p1, %r9, %r16; selp.b32 %r17, 3, 0, %p1; add.u32 %r10, %r10, %r17", active+"match.all.sync.b64 %r10|%p1, %rd9, %r16; selp.b32 %r17, 3, 0, %p1; add.u32 %r10, %r10, %r17")
}

// matchMembers are by masks of members, which some of the lanes are not in.
var matchMembers = []string{"redux.sync.add.u32 %r10, %r3, 0x0f0f0f0f", "match.any.sync.b32 %r10, %r7, 0x3ffffff0", "match.all.sync.b32 %r10|%p1, %r9, 0x00000021; @!%p1 add.u32 %r10, %r10, 5"}

// TestMatch holds them to the interpreter, by all lanes, some, one and none.
func TestMatch(t *testing.T) {
	backEnds(t, func(t *testing.T, b backEnd) {
		for n, mask := range slices.Sorted(maps.Keys(atomicMasks)) {
			for k, some := range slices.Collect(slices.Chunk(matchForms(), 7)) {
				if b.own || *full || (k+n)%5 == 0 {
					text := atomicKernel(some, "global", "own", perStatement(atomicMasks[mask]))
					b.holdAtomics(t, mask+" "+some[0], text, atomicRun(len(some), 0))
				}
			}
		}
		text := atomicKernel(matchMembers, "global", "own", func(s string, _ int) string { return s + ";" })
		b.holdAtomics(t, "members", text, atomicRun(len(matchMembers), 0))
	})
}
