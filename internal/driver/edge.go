package driver

// This file holds what an edge of a graph says besides its ends: that a kernel may begin before the one in front of it is over, and
// wait for that itself (griddepcontrol.wait).

import "slices"

// EdgeData is that, as CUDA lays it out (cudaGraphEdgeData): a byte each for the port of the node in front, the port of the one
// behind, and the type. 0: the one begins when the other is over.
type EdgeData uint64

// The ports of a kernel in front, with CUDA's numbers (cudaGraphKernelNodePort…).
const (
	portDependents = 1 // each CTA has executed griddepcontrol.launch_dependents, or has ended
	portBegin      = 2 // each CTA has begun
)

const programmaticEdge EdgeData = 1 << 16 // the type cudaGraphDependencyTypeProgrammatic

// portOf is the port behind which an event of a launch happens.
var portOf = [2]EdgeData{atDependents: portDependents, atBegin: portBegin}

func (e EdgeData) programmatic() bool { return e&programmaticEdge != 0 }

// fits reports whether an edge between two nodes may say this (CUDA Runtime API, cudaGraphEdgeData): a port of a kernel, which the
// programmatic type needs, and that between kernels alone.
func (e EdgeData) fits(from, to *node) bool {
	port := e & 0xff
	switch {
	case e&^(programmaticEdge|0xff) != 0 || port > portBegin:
		return false
	case e.programmatic():
		return port != 0 && kindOf(from.work) == KernelNode && kindOf(to.work) == KernelNode
	case port == portDependents:
		return false
	}
	return port == 0 || kindOf(from.work) == KernelNode
}

// edges are what the edges from some nodes say; those that are not in it say 0.
type edges map[*node]EdgeData

// say notes what an edge says.
func (e *edges) say(from *node, data EdgeData) {
	switch {
	case data == 0:
		delete(*e, from)
		return
	case *e == nil:
		*e = edges{}
	}
	(*e)[from] = data
}

// of lists what the edges from some nodes say.
func (e edges) of(from []*node) (list []uint64) {
	for _, n := range from {
		list = append(list, uint64(e[n]))
	}
	return list
}

// join adds edges from nodes to those that a stream's next node has: where there are two from a node, the plain one holds.
func (s *stream) join(from []*node, say edges) {
	for _, n := range from {
		had := slices.Contains(s.tips, n)
		if data := say[n]; !had || s.says[n] != 0 {
			s.says.say(n, data)
		}
	}
	s.tips = union(s.tips, from)
}

// become makes a node of a capture the last one of its stream. Edges are programmatic to a kernel alone, also where its launch says
// so of the kernel in front of it.
func (s *stream) become(n *node, w work) {
	k, kernel := w.(*kernelWork)
	for _, dep := range n.after {
		data := s.says[dep]
		if kernel && k.launch.Programmatic && data == 0 && len(n.after) == 1 {
			data = programmaticEdge | portDependents
		}
		if data.fits(dep, n) {
			n.says.say(dep, data)
		}
	}
	s.tips, s.says = []*node{n}, nil
}
