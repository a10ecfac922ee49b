// Package analysis has what passes ask of a function, computed once for as long as they leave it as it is.
package analysis

import "ptxvm.invalid/ptxvm/internal/jit/ssa"

// Cache keeps the answers for one function.
type Cache struct {
	f          *ssa.Func
	dominators *ssa.Dominators
}

// NewCache makes an empty cache.
func NewCache(f *ssa.Func) *Cache { return &Cache{f: f} }

// Dominators are those of the function's blocks.
func (c *Cache) Dominators() *ssa.Dominators {
	if c.dominators == nil {
		c.dominators = ssa.FindDominators(c.f)
	}
	return c.dominators
}

// Clear forgets everything: a pass has changed blocks or edges.
func (c *Cache) Clear() { c.dominators = nil }
