// Package table puts the semantics table together: the scalar chapters of package sem and the wings beside it.
package table

import (
	"sync"

	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/sem/async"
	"ptxvm.invalid/ptxvm/internal/sem/calls"
	"ptxvm.invalid/ptxvm/internal/sem/image"
	"ptxvm.invalid/ptxvm/internal/sem/matrix"
)

// Whole is the table of everything that is executed. It is made when it is first asked for: a process that checks needs none.
var Whole = sync.OnceValue(func() *sem.Table {
	return sem.Assemble(image.Wing(), calls.Wing(), async.Wing(), matrix.Wing())
})
