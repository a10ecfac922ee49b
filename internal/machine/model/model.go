// Package model has the words of the memory consistency model: proxies, strengths and scopes (chapter 8).
package model

// Proxy is the path of an access to memory (8.2 of the memory model, 9.7.13.4).
type Proxy uint8

// The proxies.
const (
	GenericProxy   Proxy = iota
	AsyncProxy           // bulk copies, tensor copies, tcgen05, wgmma
	AliasProxy           // the same memory by another virtual address
	TensormapProxy       // use of a tensor map
	SurfaceProxy         // surface instructions: no fence orders it with another one (8.6)
	TextureProxy         // texture instructions: the same
)

func (p Proxy) String() string {
	return [...]string{"generic", "async", "alias", "tensormap", "surface", "texture"}[p]
}

// Order is the strength of an operation (8.4).
type Order uint8

// The strengths.
const (
	Weak Order = iota
	Relaxed
	AcquireOrder
	ReleaseOrder
	AcqRel
	SeqCst
)

func (o Order) String() string {
	return [...]string{"weak", "relaxed", "acquire", "release", "acq_rel", "sc"}[o]
}

// Acquires reports whether what comes later sees what the other side published.
func (o Order) Acquires() bool { return o == AcquireOrder || o >= AcqRel }

// Releases reports whether what came before is published.
func (o Order) Releases() bool { return o >= ReleaseOrder }

// Scope is the set of threads that an operation synchronises with (8.5).
type Scope uint8

// The scopes.
const (
	NoScope Scope = iota // weak
	WarpScope
	CTAScope
	ClusterScope
	GPUScope
	SysScope
)

func (s Scope) String() string {
	return [...]string{"", "warp", "cta", "cluster", "gpu", "sys"}[s]
}
