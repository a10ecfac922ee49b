package capture

// This file says what is in a folder.

import (
	"errors"
	"fmt"
	"strconv"
)

// Schema is the number of the form that Write gives folders and Open takes.
const Schema = 2

// Names of the files of a folder.
const (
	LaunchFile = "launch.txt"
	MemoryFile = "memory.json"
	BytesFile  = "memory.zst"
	ReportFile = "report.json"
	AfterFile  = "after.sha256" // Digest of the memory that the launch has left; may be missing
)

// ErrTooLarge is wrapped by errors about a capture beyond the limit that was given.
var ErrTooLarge = errors.New("larger than the limit of a capture")

// Address is a device address; text has it as "0x700000000000", since not every reader of JSON keeps 64 bits of a number.
type Address uint64

// MarshalText implements encoding.TextMarshaler.
func (a Address) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%#x", uint64(a)), nil }

// UnmarshalText implements encoding.TextUnmarshaler; it takes what MarshalText writes.
func (a *Address) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(string(text), 0, 64)
	if err == nil && string(text) != fmt.Sprintf("%#x", n) {
		err = strconv.ErrSyntax
	}
	if err != nil {
		return fmt.Errorf("%q is no address", text)
	}
	*a = Address(n)
	return nil
}

// Run is a part of an allocation: Size bytes from Offset on.
type Run struct {
	Offset uint64 `json:"offset"`
	Size   uint64 `json:"size"`
}

// Allocation is a piece of device memory, at least one byte.
type Allocation struct {
	Address Address `json:"address"`
	Size    uint64  `json:"size"`
	Space   string  `json:"space"`            // Device …
	Device  int     `json:"device,omitempty"` // the number of the device whose memory it is
	Label   string  `json:"label,omitempty"`  // what reports call it
	Owner   string  `json:"owner,omitempty"`  // who made it: "cudaMalloc, called by main (x.cu:21)"
	Runs    []Run   `json:"runs,omitempty"`   // the bytes that are kept, ascending and disjoint; the others are zero
	// Unwritten are bytes that nothing had written, ascending and disjoint, as far as a sanitizer has looked; the others
	// count as written.
	Unwritten []Run `json:"unwritten,omitempty"`
}

// Spaces of allocations.
const (
	Device   = "device"
	Constant = "constant" // kernels do not write there
	Heap     = "heap"     // by a kernel's malloc
	Managed  = "managed"  // the program reaches it, too
	Host     = "host"     // the program's own, which kernels use: it lies anywhere
)

// spaces are what the space of an allocation may be.
var spaces = []string{Device, Constant, Heap, Managed, Host}

// Variable is a module variable.
type Variable struct {
	Name    string  `json:"name"`
	Address Address `json:"address"`
	Size    uint64  `json:"size"`
}

// Image is samples in an allocation, by the words of the command line.
type Image struct {
	Geometry string  `json:"geometry"` // "2dlayered"
	Size     []int   `json:"size"`     // extents, as the geometry has them
	Format   string  `json:"format"`   // "u8x4"
	Linear   bool    `json:"linear,omitempty"`
	Pitch    uint64  `json:"pitch"` // bytes from row to row
	Bytes    uint64  `json:"bytes"` // of all rows
	Address  Address `json:"address"`
}

// Sampler is how texels become a result. Numbers are the bits of an f32.
type Sampler struct {
	Linear        bool      `json:"linear,omitempty"`
	MipLinear     bool      `json:"mip_linear,omitempty"`
	Unnormalized  bool      `json:"unnormalized,omitempty"`
	Seamless      bool      `json:"seamless,omitempty"`
	Address       [3]string `json:"address"` // "wrap" …
	Border        [4]uint32 `json:"border"`
	Bias          uint32    `json:"bias"`
	MinLOD        uint32    `json:"min_lod"`
	MaxLOD        uint32    `json:"max_lod"`
	Compare       string    `json:"compare"` // "le" …
	MaxAnisotropy int       `json:"max_anisotropy,omitempty"`
}

// Texture is how a texture is read; the images are those of its handle.
type Texture struct {
	Normalized bool     `json:"normalized,omitempty"`
	Float      bool     `json:"float,omitempty"` // integers are read as fractions
	SRGB       bool     `json:"srgb,omitempty"`
	Mipmapped  bool     `json:"mipmapped,omitempty"`
	Freed      bool     `json:"freed,omitempty"` // its memory: there are no images
	Sampler    *Sampler `json:"sampler"`
}

// Handle is what a number means to instructions for surfaces, textures and samplers.
type Handle struct {
	Handle  Address  `json:"handle"`
	Kind    string   `json:"kind"`              // "surface", "texture" or "sampler"
	Name    string   `json:"name"`              // in reports
	Freed   bool     `json:"freed,omitempty"`   // it means nothing any more
	Images  []Image  `json:"images,omitempty"`  // of a surface one, of a texture its levels, finest first
	Texture *Texture `json:"texture,omitempty"` // of a texture, or the sampler of a sampler
}

// Memory is memory.json. The bytes of all runs stand in memory.zst one behind the other, in the order of allocations.
type Memory struct {
	Schema      int          `json:"schema"`
	Base        Address      `json:"base"`        // of the device's memory: no allocation but those of the host lies below
	Allocations []Allocation `json:"allocations"` // by ascending addresses, disjoint
	Variables   []Variable   `json:"variables"`   // each within an allocation

	Handles    []Handle   `json:"handles,omitempty"`    // by ascending handles
	References []Variable `json:"references,omitempty"` // to surfaces, textures and samplers; the address is the first handle
	Beside     []string   `json:"beside,omitempty"`     // kernels that ran meanwhile: memory may have been caught in the middle
}

// Option is a line of launch.txt: "--kernel saxpy".
type Option struct{ Name, Value string }

// moduleFile is the name of module i of n.
func moduleFile(i, n int) string {
	if n == 1 {
		return "module.ptx"
	}
	return fmt.Sprintf("module-%d.ptx", i+1)
}
