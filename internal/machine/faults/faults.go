// Package faults names what stops a launch, by the numbers of the catalogue of diagnostics.
package faults

// Kind is the number of a fault in the catalogue of diagnostics.
type Kind uint16

// The faults.
const (
	OutOfBounds         Kind = 7001 // address in no allocation, or only partly in one
	Misaligned          Kind = 7002 // address not a multiple of the access size
	NullAccess          Kind = 7003 // address in the first page
	WrongWindow         Kind = 7004 // address of a window that the instruction's space does not have
	Trap                Kind = 7005
	AssertFailed        Kind = 7006 // __assertfail; Text has the message
	StackOverflow       Kind = 7007 // frames, depot and alloca exceed the limit
	BarrierDivergence   Kind = 7011 // .aligned barrier in divergent code below sm_70
	IllegalInstruction  Kind = 7012 // run-time operand outside its range; Value, Text
	OutOfMemory         Kind = 7013
	BadBarrier          Kind = 7014 // number or thread count invalid, or counts differ (Want)
	ReadOnlyAccess      Kind = 7016 // write to constant or parameter memory
	BadIndirectCall     Kind = 7017 // call of something that is no function
	OutputLimit         Kind = 7018
	NoSuchCTA           Kind = 7019 // shared address with a rank (Value) that the cluster of Want CTAs does not have
	OtherCTA            Kind = 7020 // .shared::cta address of another CTA: rank Value, own rank Want
	ExitedCTA           Kind = 7021 // shared memory of a CTA (rank Value) whose threads have all exited
	ClusterMisuse       Kind = 7022 // barrier.cluster: Text says what
	BadMbarrier         Kind = 7023 // Addr is the object's shared address, Text says what is wrong
	NotMulticast        Kind = 7024 // a multimem address in no multicast range
	BadHandle           Kind = 7025 // of the fabric: Text says what
	SurfaceBounds       Kind = 7030 // 9.7.11: a point outside; Text has all of it, as with the next three
	SurfaceAlignment    Kind = 7031
	NoSurface           Kind = 7032 // a handle that names nothing
	WrongSurface        Kind = 7033 // geometry or format are not what the instruction wants
	NoTexture           Kind = 7034 // the same two of textures and samplers
	WrongTexture        Kind = 7035
	BadTensorAllocation Kind = 7040 // tcgen05.alloc, dealloc: Text says what
	BadTensorAccess     Kind = 7041 // address in tensor memory: Text says what
	BadDescriptor       Kind = 7042 // of a matrix in shared memory: Text says which field
	PartialWarp         Kind = 7043 // an .aligned instruction without some lanes: Text says which
	BadFree             Kind = 7050 // free of Addr, which Text describes
)

// Defect is a panic in a handler, in what compiled code calls or in the compiler: a mistake of ours, not of the
// kernel's. The launch ends with it, the process and the device go on.
type Defect struct {
	What  string // the panic's value
	Stack string // of the goroutine that panicked
}

func (d *Defect) Error() string { return "a defect in ptxvm, not in your PTX: " + d.What }
