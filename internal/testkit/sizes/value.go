package sizes

// Values with which chopping and the extensions differ, and what the tables make of them.

import "math/big"

const (
	lanes   = 32
	regSlot = 16          // bytes that one register takes in a row
	rowSize = 8 * regSlot // of one lane: eight registers, or what one statement accesses
	repeats = 4           // rows of a lane, for statements with one address for all lanes
	outSize = lanes * repeats * rowSize
	filler  = 0xa5 // what results and memory hold before
)

// element is the 128-bit value of a lane for a type of so many bits: lanes have both signs of
// the type with all bits above it set, and clear. The bits behind the sign make a number of
// every float type.
func element(bits, lane, k int) *big.Int {
	v := uint64(lane*8+k+1) * 0x9e3779b97f4a7c15
	low := new(big.Int).SetUint64(v ^ v>>31)
	if bits > 64 {
		low.Lsh(low, 64).Add(low, new(big.Int).SetUint64(v*0x2545f4914f6cdd1d))
	}
	low = chop(low, bits)
	low.SetBit(low, bits-1, uint(lane&1))
	if bits >= 16 {
		for i, b := range []uint{0, 1, 1, 1} {
			low.SetBit(low, bits-2-i, b)
		}
	}
	if lane&2 == 0 {
		low.Or(low, new(big.Int).Lsh(ones(128-bits), uint(bits)))
	}
	return low
}

func ones(n int) *big.Int {
	return new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(n)), big.NewInt(1))
}

// chop keeps the low bits.
func chop(v *big.Int, bits int) *big.Int { return new(big.Int).And(v, ones(bits)) }

// number reads the low bits of v as a type: with sign for s.
func number(v *big.Int, t Type) *big.Int {
	n := chop(v, t.Bits)
	if t.Kind == 's' && n.Bit(t.Bits-1) == 1 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(t.Bits)))
	}
	return n
}

// extend is what a register of reg.Bits holds of a value of type inst, by a cell of table 28.
func extend(v *big.Int, inst, reg Type, cell Cell) *big.Int {
	if cell == SignExtend {
		return chop(number(v, Type{'s', inst.Bits}), reg.Bits)
	}
	return chop(v, inst.Bits)
}

// clamp is the number nearest to n that an integer type has.
func clamp(n *big.Int, t Type) *big.Int {
	low, high := new(big.Int), ones(t.Bits)
	if t.Kind == 's' {
		high = ones(t.Bits - 1)
		low.Sub(new(big.Int).Neg(high), big.NewInt(1))
	}
	switch {
	case n.Cmp(low) < 0:
		return low
	case n.Cmp(high) > 0:
		return high
	}
	return n
}

// put writes the low bytes of v.
func put(to []byte, v *big.Int, bytes int) {
	v = chop(v, 8*bytes)
	for i, b := range v.FillBytes(make([]byte, bytes)) {
		to[bytes-1-i] = b
	}
}

// The rows of lanes that kernels read.

// registers are eight values, a register apart.
func registers(bits int) []byte {
	out := make([]byte, lanes*rowSize)
	for i := range lanes * 8 {
		put(out[i*regSlot:], element(bits, i/8, i%8), regSlot)
	}
	return out
}

// memory is the same values, cut to their type, side by side, and behind them what must not be
// read: all ones where registers have them.
func memory(bits int) []byte {
	out := make([]byte, lanes*rowSize)
	for lane := range lanes {
		row := out[lane*rowSize:][:rowSize]
		for i := range row {
			row[i] = byte(lane&2>>1) - 1
		}
		for k := range 8 {
			if bits <= 64 || k == 0 {
				put(row[k*bits/8:], element(bits, lane, k), bits/8)
			}
		}
	}
	return out
}
