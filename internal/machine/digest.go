package machine

// This file writes down all of the state of a launch that waits, so that two moments can be compared.

import (
	"fmt"
	"io"
)

// WriteState writes what the launch holds beside global memory: of each CTA shared memory, barriers, mbarriers and open operations, of
// each warp fragments, registers and local memory. Equal states are equal bytes. Errors of w are lost: it is a hash.
func (p *Pause) WriteState(w io.Writer) {
	fmt.Fprintf(w, "moment %d\n", p.Moment)
	for _, c := range p.CTAs() {
		fmt.Fprintf(w, "CTA %v alive %x runnable %x cycles %d bars %v cluster %v pool %v\n", c.id, c.alive, c.runnable, c.cycles, c.bars, c.clusterBar, c.pool.owned)
		shared, _ := c.Memory()
		_, _ = w.Write(shared)
		fmt.Fprintln(w, c.Mbarriers(), len(c.tensor.Words()))
		for _, word := range c.tensor.Words() {
			_, _ = w.Write([]byte{byte(word), byte(word >> 8), byte(word >> 16), byte(word >> 24)})
		}
		for _, op := range c.async.Open() {
			fmt.Fprintln(w, op.Number, op.Pipe, op.Done, op.Lanes, op.PC, op.Warp)
		}
		for _, warp := range c.warps {
			p.writeWarp(w, warp)
		}
	}
}

func (p *Pause) writeWarp(out io.Writer, w *Warp) {
	fmt.Fprintf(out, "warp %d live %x\n", w.index, w.Live)
	seen := map[*Frame]bool{}
	for _, f := range p.Fragments(w) {
		fmt.Fprintln(out, f.Lanes, f.PC, f.Running, f.Reason)
		for frame := f.Frame; frame != nil && !seen[frame]; frame = frame.caller {
			seen[frame] = true
			fmt.Fprintln(out, frame.code.Func.Name, frame.depth, frame.lanes, frame.local)
			_, _ = out.Write(frame.regs.Bytes()[:frame.code.RegBytes])
		}
	}
	for i := range w.local.chunks {
		for off := uint32(0); off < localChunk && w.local.chunks[i] != nil; off += 4 {
			fmt.Fprint(out, *w.LocalRow(uint32(i)*localChunk + off))
		}
	}
}
