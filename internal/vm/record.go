package vm

// This file keeps what a launch executes, and says where values come from.

import (
	"fmt"
	"slices"

	"ptxvm.invalid/ptxvm/internal/findings"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/why"
)

// DefaultRecordBytes is what a Record keeps at most unless it says otherwise.
const DefaultRecordBytes = 1 << 30

// Record keeps what a launch executes, so that it can be asked where a value comes from (Watch.Record). A record is of one launch, on a
// device with one worker (DeviceConfig.Workers).
type Record struct {
	CTAs []Index3 // that are kept whole; of others only what they store to global memory
	Max  int64    // bytes; 0: DefaultRecordBytes

	kept  *why.Record
	lines traceLines
}

// record lets a record watch a launch; nil is none.
func (k *Kernel) record(r *Record, l *machine.Launch) error {
	switch {
	case r == nil:
		return nil
	case r.kept != nil:
		return k.refuse("record: it holds another launch already")
	case k.program.d.cfg.Workers != 1:
		return k.refuse("record: it wants a device with one worker (DeviceConfig.Workers), whose order is the same each time")
	case l.Trace != nil || l.Breakpoint != nil:
		return k.refuse("record: a launch is traced, stopped or recorded, not two of these at once")
	}
	whole := map[uint64]bool{}
	for _, at := range r.CTAs {
		rank, inside := rankIn(l.Grid, at)
		if !inside {
			return k.refuse("record: CTA %s is not in the grid of %v, which counts from 0", at, Dim3(findings.Point(l.Grid)))
		}
		whole[rank] = true
	}
	if r.Max == 0 {
		r.Max = DefaultRecordBytes
	}
	r.kept = why.New(r.Max, func(cta uint64) bool { return whole[cta] })
	r.lines = traceLines{p: k.program, kernel: k.info.Name, at: map[tracedAt]*tracedLine{}}
	r.kept.Attach(l)
	return nil
}

// Origin is a value, and those that it was made of: a graph without cycles, in which one value may be a source of several.
type Origin struct {
	Kind     OriginKind
	Step     *Step  // the instruction with its values; of an Input nil
	Lane     int    // of the Step's warp
	Thread   Index3 // the lane's
	Register string // Computed, Undefined: which of the Step's registers

	// Stored, Copied, Input, and a Computed load: which bytes.
	Space    string // "global", "shared", "local"
	From, To uint64

	Lanes   uint32 // that contribute, of those that the Step's warp has, if it is not this one alone: shuffles, products of matrices, votes
	Sources []*Origin
	Beyond  bool // Sources are not known: the CTA is not among Record.CTAs
	Cut     bool // Sources are left out, for OriginLimits
}

// CTAsBeyond lists the CTAs in which a further record (Record.CTAs) would find more of the graph, each once.
func (o *Origin) CTAsBeyond() (list []Index3) {
	seen := map[*Origin]bool{}
	var visit func(o *Origin)
	visit = func(o *Origin) {
		if o == nil || seen[o] {
			return
		}
		seen[o] = true
		if o.Beyond && !slices.Contains(list, o.Step.CTA) {
			list = append(list, o.Step.CTA)
		}
		for _, from := range o.Sources {
			visit(from)
		}
	}
	visit(o)
	return list
}

// OriginKind says what an Origin is.
type OriginKind string

// The kinds of origins.
const (
	OriginComputed  OriginKind = "computed"  // the result of an instruction
	OriginStored    OriginKind = "stored"    // bytes that an instruction has stored
	OriginCopied    OriginKind = "copied"    // bytes that an asynchronous copy has brought
	OriginInput     OriginKind = "input"     // bytes that the launch has not written before
	OriginUndefined OriginKind = "undefined" // a register that nothing has written
	OriginArgument  OriginKind = "argument"  // a register that a call has given its function
)

var originKinds = [...]OriginKind{why.Computed: OriginComputed, why.Stored: OriginStored, why.Copied: OriginCopied, why.Input: OriginInput,
	why.Undefined: OriginUndefined, why.Argument: OriginArgument}

// OriginLimits bound what Explain returns.
type OriginLimits struct {
	Depth  int // of sources behind each other
	Values int
}

// Explain says where n bytes of global memory have what they hold at the end of the launch; nil if the launch has not written them.
// Behind it is the data: guards and addresses are shown, and not followed. The error tells that the record was too small, or that
// there is no launch in it.
func (r *Record) Explain(addr uint64, n int, limits OriginLimits) (*Origin, error) {
	if err := r.complete(); err != nil {
		return nil, err
	}
	node := r.kept.Memory(why.Bytes{Space: machine.Global, From: addr, To: addr + uint64(n)}, why.Limits{Depth: limits.Depth, Nodes: limits.Values})
	if node == nil {
		return nil, nil
	}
	return r.origin(node, map[*why.Node]*Origin{}), nil
}

// ExplainBy puts what a function finds in a record into the terms of the source; nil where it finds nothing.
//
//face:inside
func ExplainBy(r *Record, find func(*why.Record) *why.Node) (*Origin, error) {
	if err := r.complete(); err != nil {
		return nil, err
	}
	node := find(r.kept)
	if node == nil {
		return nil, nil
	}
	return r.origin(node, map[*why.Node]*Origin{}), nil
}

// complete reports why a record has no answers.
func (r *Record) complete() error {
	if r.kept == nil {
		return fmt.Errorf("ptxvm: the record holds no launch")
	}
	return r.kept.Full()
}

// origin puts a node into the terms of the source.
func (r *Record) origin(n *why.Node, known map[*why.Node]*Origin) *Origin {
	if o := known[n]; o != nil {
		return o
	}
	o := &Origin{Kind: originKinds[n.Kind], Lane: n.At.Lane, Lanes: n.Lanes, Beyond: n.Beyond, Cut: n.Cut, From: n.Bytes.From, To: n.Bytes.To}
	known[n] = o
	if o.To > o.From {
		o.Space = n.Bytes.Space.String()
	}
	if n.Kind != why.Input {
		s := r.kept.Step(n.At.Step)
		line := r.lines.find(s)
		o.Step = r.lines.step(line, s, s.Lanes)
		o.Thread = findings.Point(r.kept.Place(n.At).Thread)
		o.Register = line.register(n.Result)
	}
	for _, from := range n.From {
		o.Sources = append(o.Sources, r.origin(from, known))
	}
	return o
}

// FirstLast looks, among bytes of global memory, for the one whose last writer in the launch comes first, and returns its address; false
// if the launch has written none of them.
func (r *Record) FirstLast(wanted func(addr uint64) bool) (addr uint64, ok bool, err error) {
	if err := r.complete(); err != nil {
		return 0, false, err
	}
	_, addr, ok = r.kept.FirstLast(wanted)
	return addr, ok, nil
}
