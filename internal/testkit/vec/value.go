package vec

// Values of operands and results as the files write them.

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Value is one number: bits, or a fraction whose bits depend on the operand's width.
type Value struct {
	Lo, Hi  uint64
	Float   float64
	IsFloat bool
	Ignored bool // _: not looked at
}

// Values are those of 32 lanes, or one for all lanes.
type Values []Value

// Lane returns the value of a lane.
func (v Values) Lane(i int) Value { return v[i%len(v)] }

// Bits returns the value in a register of so many bits; predicates are 0 and 1.
func (v Value) Bits(n int) (lo, hi uint64) {
	lo, hi = v.Lo, v.Hi
	switch {
	case v.IsFloat && n == 32:
		lo = uint64(math.Float32bits(float32(v.Float)))
	case v.IsFloat:
		lo = math.Float64bits(v.Float)
	}
	if n <= 64 {
		return lo & (^uint64(0) >> (64 - uint(n))), 0
	}
	return lo, hi
}

// parseValues reads words and lists in brackets.
func parseValues(s string) (out []Values, err error) {
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		var v Values
		if rest, ok := strings.CutPrefix(s, "["); ok {
			list, after, ok := strings.Cut(rest, "]")
			if !ok {
				return nil, fmt.Errorf("a list without its end: %q", s)
			}
			v, err = parseList(list)
			s = after
		} else {
			word, after, _ := strings.Cut(s, " ")
			var one Value
			one, err = parseValue(word)
			v, s = Values{one}, after
		}
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// parseList reads 32 values: each a value, value*times or first..last.
func parseList(s string) (v Values, err error) {
	for _, word := range strings.Fields(s) {
		if first, last, ok := strings.Cut(word, ".."); ok {
			a, err1 := strconv.Atoi(first)
			b, err2 := strconv.Atoi(last)
			if err1 != nil || err2 != nil {
				return nil, fmt.Errorf("%q is no range", word)
			}
			for ; a <= b; a++ {
				v = append(v, Value{Lo: uint64(a)})
			}
			continue
		}
		word, count, many := strings.Cut(word, "*")
		n := 1
		if many {
			if n, err = strconv.Atoi(count); err != nil {
				return nil, err
			}
		}
		one, err := parseValue(word)
		if err != nil {
			return nil, err
		}
		for range n {
			v = append(v, one)
		}
	}
	if len(v) == 0 || 32%len(v) != 0 {
		return nil, fmt.Errorf("%d values do not fill 32 lanes", len(v))
	}
	for len(v) < 32 {
		v = append(v, v...)
	}
	return v, nil
}

func parseValue(word string) (Value, error) {
	if word == "_" {
		return Value{Ignored: true}, nil
	}
	if len(word) > 2 && (word[:2] == "0f" || word[:2] == "0d") {
		n, err := strconv.ParseUint(word[2:], 16, 64)
		return Value{Lo: n}, err
	}
	if n, ok := new(big.Int).SetString(word, 0); ok && n.BitLen() <= 128 {
		return fromBig(n), nil
	}
	f, err := strconv.ParseFloat(word, 64)
	return Value{Float: f, IsFloat: true}, err
}

// fromBig is two's complement.
func fromBig(n *big.Int) Value {
	if n.Sign() < 0 {
		n = new(big.Int).Add(n, new(big.Int).Lsh(big.NewInt(1), 128))
	}
	return Value{Lo: new(big.Int).And(n, new(big.Int).SetUint64(^uint64(0))).Uint64(), Hi: new(big.Int).Rsh(n, 64).Uint64()}
}
