package ir

// This file declares variables: where they live, how they are laid out, what they start with.

import (
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/isa"
)

// Space is the state space of a variable or of an address (5.1).
type Space uint8

// The state spaces that have addresses.
const (
	SpaceGeneric Space = iota // of an address only
	SpaceGlobal
	SpaceConst
	SpaceShared
	SpaceLocal
	SpaceParam // of a kernel: constant bank; of a device function: its frame
	SpaceTex   // old .tex space: a texture reference
	NumSpaces
)

var spaceNames = [NumSpaces]string{"generic", "global", "const", "shared", "local", "param", "tex"}

func (s Space) String() string { return spaceNames[s] }

// Linkage says what other modules may do with a symbol (11.6).
type Linkage uint8

// The linkages.
const (
	Private Linkage = iota
	Visible
	Extern // declared here, defined elsewhere; or dynamic shared memory
	Weak
	Common
	NumLinkages
)

var linkageNames = [NumLinkages]string{"private", "visible", "extern", "weak", "common"}

func (l Linkage) String() string { return linkageNames[l] }

// Var is a variable: of the module, of a function (Local and Param), or a parameter.
type Var struct {
	Name    string
	Space   Space
	Linkage Linkage
	Bank    uint8    // .const[N]
	Type    isa.Type // of one element; opaque types are texture, sampler and surface references
	Vec     uint8    // elements of a vector type: 1, 2 or 4
	Dims    []int64  // array dimensions; the first is 0 if it was left empty
	Align   int      // bytes, a power of two
	Size    int64    // bytes; 0 for dynamic shared memory and unsized extern arrays
	Init    []byte   // little-endian, may be shorter than Size: the rest is zero
	Relocs  []Reloc  // in ascending Off
	Fields  []Field  // of a texture, sampler or surface reference
	Offset  int64    // bytes from the start of static shared memory, local depot, .param area or parameter block
	Managed bool     // .attribute(.managed)
	Unified bool     // .attribute(.unified)
	Dynamic bool     // extern .shared without a size: starts after all static shared memory
	Func    *Func    // the function that declares it, nil at module scope
	Kernel  bool     // a kernel parameter: in the parameter block, not in a frame
	Pos     diag.Pos // of the name
}

// Field is one initialised member of a reference (5.3.2), such as addr_mode_0; names of values are numbered as
// txq returns them (9.7.10.5).
type Field struct {
	Name  string
	Value int64
}

// Reloc is a place in an initialiser that gets an address: (symbol + Add) >> Shift, cut to
// Bytes. generic() of a variable gives its generic address, else it is the address in the
// variable's space (5.4.4).
type Reloc struct {
	Off     int64 // in Init
	Bytes   uint8 // 1, 2, 4 or 8
	Shift   uint8 // bits; mask(0xff00, x) has 8
	Generic bool
	Var     *Var // one of Var and Func
	Func    *Func
	Add     int64
}

// Param is one parameter or return value of a function. In kernels and in functions of the
// current ABI it is memory in .param space; in the old style it is a register.
type Param struct {
	Var
	Reg Reg // NoReg unless declared .reg

	PtrSpace Space // kernel: what a .ptr parameter points to
	Ptr      bool  // .ptr was written
	PtrAlign int
}
