// Package machine runs decoded code: grids, CTAs, warps, frames and fragments, barriers and
// gathers, the schedule and its faults. It never sees source text and knows no instruction:
// what an instruction does is in its Handler.
//
//	Device ─ Launch ─ Grid ─ worker ─ CTA ─ Warp ─ Fragment ─ Frame
//	                                          │        └ region: who is to meet where
//	                                          └ local memory, barrier arrivals
//
// A Frame is the register block of one call. A Fragment is a set of lanes with one pc in one
// frame. Lanes of a warp separate at a divergent branch or call and meet again at the
// reconvergence pc, which a region remembers.
//
// Every Code exists in two variants over the same rows and the same pcs. In the converged
// variant uniform registers live in scalar slots. The variant is a property of the frame:
// scalars of a frame hold as long as no lane of it passes the reconvergence pc of its
// outermost divergent branch, or the return pc of a call, without its siblings. When a
// fragment has to (its siblings wait or spin), the scalars of that frame are broadcast to
// rows and every lane in it goes on in the split variant. The frame returns to converged at a
// block start where one fragment holds all its lanes and they agree on every scalar live there.
//
// Handlers: write rows through R32, R64, P, S32, S64; end with Next; control flow goes through
// Branch, BranchTable, Call, Ret and Exit; waiting through Gather, Barrier and Sleep; memory
// through Access and AccessUniform; failure through Fault. A handler that waits is executed
// again from its start when it may go on, so it must write nothing before it knows that it
// need not wait.
package machine
