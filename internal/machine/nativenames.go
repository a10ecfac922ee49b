package machine

// This file has the names by which the compiler that is being written (internal/jit/isel) knows what package abi declares.

import "ptxvm.invalid/ptxvm/internal/machine/abi"

// What the machine and compiled code tell each other.
type (
	NativeState  = abi.State
	NativePlace  = abi.Place
	NativeBatch  = abi.Batch
	NativeWarp   = abi.Warp
	NativeBounds = abi.Bounds
	NativeHelp   = abi.Help
)

// Why lanes stand where compiled code has left them.
const (
	FuelOut   = abi.FuelOut
	Polled    = abi.Polled
	Parted    = abi.Parted
	Unsettled = abi.Unsettled
)
