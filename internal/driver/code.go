package driver

// This file holds CUDA's error codes, and which of them an outcome of ptxvm is.

import (
	"errors"
	"fmt"

	"ptxvm.invalid/ptxvm/internal/cudaabi"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// Code is an error code of CUDA; the runtime and the driver API share the numbers used here.
type Code int32

// The codes.
const (
	Success               Code = 0
	InvalidValue          Code = 1
	OutOfMemory           Code = 2
	NotInitialized        Code = 3
	InvalidConfiguration  Code = 9
	InvalidPitch          Code = 12
	InvalidSymbol         Code = 13
	InvalidDevicePointer  Code = 17
	InvalidDirection      Code = 21
	InvalidDeviceFunction Code = 98
	NoDevice              Code = 100
	InvalidDevice         Code = 101
	InvalidImage          Code = 200
	NoBinary              Code = 209
	InvalidPTX            Code = 218
	FileNotFound          Code = 301
	InvalidHandle         Code = 400
	IllegalState          Code = 401
	LossyQuery            Code = 402
	NotFound              Code = 500
	NotReady              Code = 600
	IllegalAddress        Code = 700
	LaunchOutOfResources  Code = 701
	LaunchTimeout         Code = 702
	Assert                Code = 710
	AlreadyMapped         Code = 712
	NotRegistered         Code = 713
	HardwareStack         Code = 714
	IllegalInstruction    Code = 715
	MisalignedAddress     Code = 716
	InvalidAddressSpace   Code = 717
	InvalidPC             Code = 718
	LaunchFailure         Code = 719
	CooperativeTooLarge   Code = 720
	NotSupported          Code = 801
	CaptureUnsupported    Code = 900
	CaptureWasInvalidated Code = 901
	CaptureMerge          Code = 902
	CaptureUnmatched      Code = 903
	CaptureUnjoined       Code = 904
	CaptureIsolation      Code = 905
	CaptureImplicit       Code = 906
	CapturedEvent         Code = 907
	CaptureWrongThread    Code = 908
	UpdateFailure         Code = 910
	InvalidClusterSize    Code = 912
	Unknown               Code = 999
)

// codeOf is the code of what a launch or load returned, and whether every later call returns it too: what
// stops a kernel does, what keeps one from starting does not.
func codeOf(err error) (code Code, sticky bool) {
	var fault *vm.Fault
	var reports *vm.SanitizerError
	switch {
	case err == nil:
		return Success, false
	case errors.As(err, new(*vm.CompilingError)):
		if errors.Is(err, vm.ErrOutOfMemory) {
			return OutOfMemory, false
		}
		return LaunchTimeout, false
	case errors.As(err, &fault):
		return Code(cudaabi.FaultCode(fault.Code)), true
	case errors.As(err, new(*vm.DeadlockError)), errors.As(err, new(*vm.StoppedError)), errors.Is(err, vm.ErrStepLimit):
		return LaunchTimeout, true
	case errors.As(err, new(*vm.UnsupportedError)):
		return NotSupported, false
	case errors.As(err, new(*vm.ArgError)):
		return InvalidConfiguration, false
	case errors.As(err, new(vm.Diagnostics)):
		return InvalidPTX, false
	case errors.Is(err, vm.ErrOutOfMemory):
		return OutOfMemory, false
	case errors.Is(err, vm.ErrOverlap):
		return AlreadyMapped, false
	case errors.Is(err, vm.ErrTooFar):
		return NotSupported, false
	case errors.Is(err, vm.ErrClosed):
		return InvalidHandle, false
	case errors.As(err, new(*vm.DefectError)):
		return Unknown, true
	case errors.As(err, &reports):
		return Success, false // what sanitizers report has happened on hardware in silence
	}
	return Unknown, false
}

// defect turns a panic into a code: a call must not take the program down with it.
func (d *Driver) defect(code *Code) {
	if p := recover(); p != nil {
		d.sayDefect(p)
		*code = Unknown
	}
}

// defectInWork is defect for what runs in a stream: every later call returns the code.
func (d *Driver) defectInWork() {
	if p := recover(); p != nil {
		d.stick(Unknown, func() { d.sayDefect(p) })
	}
}

func (d *Driver) sayDefect(what any) {
	d.say(fmt.Sprintf("this is a bug of ptxvm, please report it: %v", what))
}
