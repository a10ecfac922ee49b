package machine

// NativeNext is what compiled code has computed of a loop for warps that are still to come to it: the rows that the
// loop leaves for each of them, and what they must bring so that it holds for them. It is 64-byte aligned, and lost
// where code is entered.
type NativeNext struct {
	Left  uint32                    // warps of which it is not known yet whether they come
	Tries int32                     // how many others may come before they are given up
	Most  uint32                    // warps that it may be computed for
	_     uint32                    //
	Loop  uint64                    // where the code of the loop is
	At    uint64                    // the next warp's place in Sums
	Turns uint64                    // that have been run
	Keys  [NativeNextKeys]uint64    // what its slots and numbers must be
	Rows  [NativeNextRows][128]byte // what its rows must be
	Sums  [NativeNextWarps * NativeNextRows * 128]byte
}

// How much there may be of it.
const (
	NativeNextKeys  = 27
	NativeNextRows  = 4
	NativeNextWarps = 16
)

// begin makes it one of nothing, for a launch.
func (n *NativeNext) begin() { n.Left, n.Most = 0, NativeNextWarps/2 }
