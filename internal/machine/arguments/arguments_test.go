package arguments

import (
	"encoding/binary"
	"testing"

	"ptxvm.invalid/ptxvm/internal/machine/abi"
)

// TestFollowing: an instruction follows the argument that points to what it has hit, and finds its like in the next launch.
func TestFollowing(t *testing.T) {
	params := func(list ...uint64) (b []byte) {
		for _, v := range list {
			b = binary.LittleEndian.AppendUint64(b, v)
		}
		return b
	}
	a := &List{}
	a.Take(1, 0x100, params(7, 0x2000, 0x3000))
	second := a.Following(&abi.Bounds{Start: 0x3000, End: 0x3100}, 0)
	own := a.Following(&abi.Bounds{Start: 0x100, End: 0x120}, 0)
	if none := a.Following(&abi.Bounds{Start: 0x9000, End: 0x9100}, second); none != 0 || own != OwnBlock || second == 0 {
		t.Errorf("%d %d %d", none, own, second)
	}
	a.Take(1, 0x500, params(1, 2, 3)) // the same launch
	if at, ok := a.At(second); !ok || at != 0x3000 {
		t.Errorf("%#x, %v", at, ok)
	}
	a.Take(2, 0x500, params(7, 0x2000, 0x8000))
	at, ok := a.At(second)
	block, _ := a.At(own)
	if !ok || at != 0x8000 || block != 0x500 || a.Following(&abi.Bounds{Start: 0x8000, End: 0x8001}, second) != second {
		t.Errorf("%#x, %v, %#x", at, ok, block)
	}
	a.Take(3, 0x500, params(7))
	if _, ok := a.At(second); ok {
		t.Error("an argument that there is not")
	}
}
