// Package matrix says what statements about matrices do: products of a warp, of a warpgroup and of tensor memory, and what moves
// their operands.
package matrix

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// Wing is the lines of this package, and what executes its operations.
func Wing() sem.Wing {
	return sem.Wing{
		Lines: slices.Concat(tensorLines(), tensorProductLines(), productLines(), matrixLines(), wmmaLines(), wgmmaLines(), sparseLines()),
		Handlers: map[uop.Op]machine.Handler{
			uop.Product:          product,
			uop.LoadMatrix:       loadMatrix,
			uop.StoreMatrix:      storeMatrix,
			uop.MoveMatrix:       moveMatrix,
			uop.LoadFragment:     loadWmma,
			uop.StoreFragment:    storeWmma,
			uop.CommitProducts:   commitProducts,
			uop.WaitProducts:     waitProducts,
			uop.WarpgroupFence:   wgmmaFence,
			uop.WarpgroupProduct: wgmma,
			uop.SparseCompress:   compressSparse,
			uop.SparseDecompress: decompressSparse,
			uop.TensorAlloc:      allocTensor,
			uop.TensorDealloc:    deallocTensor,
			uop.TensorRelinquish: relinquish,
			uop.TensorLoad:       loadTensor,
			uop.TensorReduce:     reduceTensor,
			uop.TensorCompress:   compressTensor,
			uop.TensorStore:      storeTensor,
			uop.TensorWaitLoad:   waitTensorLoads,
			uop.TensorWaitStore:  waitTensorStores,
			uop.TensorCopy:       copyToTensor,
			uop.TensorShift:      shiftTensor,
			uop.TensorProduct:    multiplyTensors,
			uop.TensorCommit:     commitTensor,
		},
	}
}
