// Package async says what statements do that a lane does not wait for: copies, stores and reductions, the objects that tell of
// their end, and operations on memory of other devices.
package async

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// Wing is the lines of this package, and what executes its operations.
func Wing() sem.Wing {
	return sem.Wing{
		Lines: slices.Concat(mbarrierLines(), withdrawLines(), asyncLines(), asyncStoreLines(), asyncBulkLines(), bulkTensorLines(), multimemLines(), fabricLines()),
		Handlers: map[uop.Op]machine.Handler{
			uop.Mbarrier:          mbarrierSimple,
			uop.MbarrierMulticast: mbarrierMulticast,
			uop.MbarrierTest:      testWait,
			uop.MbarrierTry:       tryWait,
			uop.MbarrierLayout:    checkLayout,
			uop.CopyAsync:         copyAsync,
			uop.CommitCopies:      commitCopies,
			uop.WaitCopies:        waitCopies,
			uop.WaitAllCopies:     waitAllCopies,
			uop.BulkAsync:         bulkAsync,
			uop.CopyBoxes:         copyBoxes,
			uop.ReplaceField:      replaceField,
			uop.CopyMap:           copyMap,
			uop.CommitBulk:        commitBulk,
			uop.WaitBulk:          waitBulk,
			uop.WaitBulkRead:      waitBulkRead,
			uop.StoreBulk:         storeBulk,
			uop.StoreAsync:        storeAsync,
			uop.MultimemStore:     multimemStore,
			uop.MultimemUpdate:    multimemUpdate,
			uop.MultimemLoad:      multimemLoad,
			uop.FabricAsync:       fabricAsync,
			uop.FabricSubmit:      fabricSubmit,
			uop.FabricWait:        fabricWait,
			uop.ArriveAsync:       arriveAsync,
			uop.Withdraw:          withdraw,
			uop.Withdrawn:         withdrawn,
		},
	}
}
