// Package machine runs decoded code: grids, CTAs, warps, frames and fragments, barriers and
// gathers, the schedule and its faults. It never sees source text and knows no instruction:
// what an instruction does is in its Handler. It starts no goroutine: the owner of a Core (internal/host)
// calls Begin, Cluster.Run and Retire, and answers what the machine asks (Host).
//
//	Launch ─ Grid ─ Core ─ Cluster ─ CTA ─ Warp ─ Fragment ─ Frame
//	                                                    │        └ region: who is to meet where
//	                                                    └ local memory, barrier arrivals
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
//
// Asynchronous operations: a handler checks its operands, makes an Op (a record with the steps
// Read, Write, Signal) and returns Issue's state. CommitGroup, WaitGroups and WaitPipe are the
// waits; a wait for an mbarrier needs nothing from here: when no warp of the cluster moves, the
// oldest operation that signals is completed before a deadlock is looked for (Cluster.run). In mode
// Eager all steps happen in Issue and nothing is ever open; a handler may then do without a
// record. Modes Lazy and Random keep the open records of a cluster in a queue (internal/machine/queue), which
// knows which operations of a pipe have an order. Steps run on the core that owns the
// cluster, at any later moment, so a step keeps what it needs and reaches memory through
// op.Global and op.Shared.
//
// Clusters: a core owns a whole Cluster; a launch without clusters is clusters of one CTA. Shared
// addresses are rank<<24 | offset, also a CTA's own, so Warp.Access, Op.Shared and Op.Mbarrier take
// them as they are. Whatever changes a CTA's or its peers' state runs on that core: no locks.
//
// Mbarriers: Warp.MbarrierAt (handlers) and Op.Mbarrier (steps) find the object at a shared address
// of any CTA of the cluster. Its methods Init, Inval and Do (an operation of package mbarriers) wake those who wait for a phase that
// completes; they return nil, or a fault to hand to Warp.Fault or to return from the step. State, Passed and PassedParity
// serve the waits; Suspend makes a fragment wait for objects or until its time is over.
//
// The machine judges nothing but faults: what is wrong with a use of barriers, masks, mbarriers and open operations observers
// find (internal/san). Op.Touches lists for them what an operation reads and writes: memory, tensor memory or rows of a frame.
//
// Observers (DESIGN §7): in launches with one, package observe wraps every handler by the effect
// clauses of the ISA data: memory operands by address, fences and barriers tell for themselves
// what they do. Issue tells the extents of Op.Touches. What neither covers, tells itself if
// Warp.Observing: tcgen05.alloc and dealloc (Allocated, Freed), tensor memory that is read or
// written without a record (Touch with an Extent).
package machine
