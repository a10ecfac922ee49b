// Package table puts the semantics table together: the scalar chapters of package sem and the wings beside it.
package table

import (
	"sync"

	"ptxvm.invalid/ptxvm/internal/sem"
)

// Whole is the table of everything that is executed. It is made when it is first asked for: a process that checks needs none.
var Whole = sync.OnceValue(func() *sem.Table {
	return sem.Assemble(sem.ImageWing(), sem.CallsWing(), sem.AsyncWing(), sem.MatrixWing())
})
