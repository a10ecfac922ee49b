package uop

// Space is the state space that an instruction names (5.1).
type Space uint8

// The spaces.
const (
	SpaceGeneric Space = iota
	SpaceGlobal
	SpaceConst
	SpaceParam // kernel parameters
	SpaceShared
	SpaceLocal
	SpaceTensor    // tensor memory of a CTA
	SpaceRegisters // of a frame
)

func (s Space) String() string {
	return [...]string{"generic", "global", "const", "param", "shared", "local", "tensor", "register"}[s]
}

// AccessKind says what an access does to memory.
type AccessKind uint8

// The kinds of access.
const (
	AccessLoad AccessKind = iota
	AccessStore
	AccessAtomic
)

func (k AccessKind) String() string { return [...]string{"load", "store", "atomic"}[k] }

// Request is what must hold for the addresses of an access.
type Request struct {
	Space Space
	Kind  AccessKind
	Size  uint32 // bytes each lane touches: all elements of a vector
	Align uint32 // a power of two: the address must be a multiple of it
	// OwnCTA is set for .shared::cta and for plain .shared: an address of another CTA of the
	// cluster is a fault.
	OwnCTA bool
}

// Addressing says how the lanes find their address; Inst.Imm is added to each.
type Addressing uint8

// The ways of addressing.
const (
	ByRow64  Addressing = iota // A is a row of addresses
	ByRow32                    // A is a row of 32-bit addresses
	ByConst                    // Imm is the address of all lanes
	BySlot64                   // A is a scalar slot
	BySlot32                   // A is a scalar slot of 32 bits
	ByFrame                    // Imm is an offset in the frame's local depot
	ByParam                    // Imm is an offset in the frame's .param area
	ByKernel                   // Imm is an offset in the kernel's parameters
)

// Memory describes a load or store. Element k has Elem bytes and lies k·Elem behind the address of a
// lane; a load extends it to its register. Registers are Ext.Dst or Ext.Src.
type Memory struct {
	Request
	By     Addressing
	Elem   uint32 // bytes of an element
	Signed bool   // elements extend by their sign
	Strong bool   // relaxed, volatile and stronger: a single atomic access (8.4)
	Whole  bool   // strong, and all elements together are one access, of at most 16 bytes; one of 128 bits is two elements
	Bits   []int  // of the registers of each element; 0: the sink
}

func (*Memory) payload() {}
