// Package abi is what the machine and compiled code tell each other (DESIGN §8): data, of which compiled code knows every
// offset. Who compiles is above it (internal/jit), who calls is the machine (its native*.go).
//
// Compiled code runs one warp whose living lanes all stand in one fragment of a converged
// frame. It starts at an entry pc and returns at resume points: pcs whose instructions the
// interpreter is to execute next, with everything before them done, the register block
// exact, and nothing behind them begun. Lanes may stand at several places. In a batch
// (machine/nativebatch.go) it goes on by itself to other warps and CTAs.
//
// Everything that a program can see is as the fragment loop would leave it, which means:
//
//   - Of the lanes' places the smallest pc goes first; lanes that come to the same pc go on together.
//   - That is right for a divergent branch whose reconvergence pc (Inst.D) lies behind it, and behind
//     where each way begins. One that meets at an earlier pc (the header of its loop), or of which a way
//     begins behind that place and never comes there (its lanes exit from a function), is left to
//     the interpreter unless all lanes agree: there the first to come wait for the others.
//   - A branch that all lanes of a place take back (target ≤ pc) costs their fuel 1; at 0 they
//     stand at the target with FuelOut. Where lanes part, both sides have the fuel that was left
//     at no cost; where they come together, they have the smaller one. A branch without
//     QuietLoop costs PollFuel and sets no Looped.
//   - Steps count an instruction for each time that lanes at its pc come to it, Ops the lanes
//     that execute it: not those that its guard excludes.
//   - Lanes that exit go to Exited and are at no place.
//
// What holds wherever compiled code is entered or left, for one instruction of a handler, too (machine/nativecheck.go looks at it
// where tests ask for that):
//
//   - Lanes. Those that enter (Mask) are all living lanes of the warp and of the frame, in one fragment, and in no region of the
//     frame: with whom they were to meet has exited, and the frame is to split where they part for good. At each moment
//     each of them runs, waits at one place or is in Exited, and those not in Exited are what operations of the whole
//     warp take for living: in compiled code, in a handler that it has called (Warp.Live), and behind it.
//   - Nothing is half done. A fragment that has met others at an instruction, and is to fetch what comes of it, is not
//     entered there: the machine holds the result, and its handler ends the instruction. (A barrier in a batch has no
//     result; code goes on behind it at Resumes.)
//   - Scalars. The frame is converged: slots hold while the lanes of no second place write them, and rows of slots that
//     are read as rows have their values wherever lanes stand that have parted.
//   - CTA. Special registers, in slots and rows, are those of the warp's CTA. Where compiled code has gone on to another
//     CTA, nothing that the machine keeps of a warp beside its rows is of the CTA before: its fragments, gathers, variant.
package abi
