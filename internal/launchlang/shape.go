package launchlang

// This file reads extents and places in them.

import (
	"fmt"
	"strconv"
	"strings"

	"ptxvm.invalid/ptxvm"
)

// ParseDim3 reads X[,Y[,Z]], extents from 1; what is left out is 1.
func ParseDim3(text string) (ptxvm.Dim3, error) {
	words := strings.Split(text, ",")
	if len(words) > 3 {
		return ptxvm.Dim3{}, fmt.Errorf("want X[,Y[,Z]], have %d numbers", len(words))
	}
	extents := [3]uint32{1, 1, 1}
	for i, word := range words {
		n, err := strconv.ParseUint(strings.TrimSpace(word), 10, 32)
		if err != nil || n == 0 {
			return ptxvm.Dim3{}, extentError(text, word)
		}
		extents[i] = uint32(n)
	}
	return ptxvm.Dim3{X: extents[0], Y: extents[1], Z: extents[2]}, nil
}

func extentError(text, word string) error {
	if commas := strings.ReplaceAll(text, "x", ","); commas != text {
		if _, err := ParseDim3(commas); err == nil {
			return fmt.Errorf("extents are separated by commas; write %s", commas)
		}
	}
	return fmt.Errorf("%q is no extent: want a number from 1 to 4294967295", word)
}

// ParsePoint reads X[,Y[,Z]], which count from 0.
func ParsePoint(text string) (ptxvm.Index3, error) {
	var at [3]uint32
	words := strings.Split(text, ",")
	if len(words) > 3 {
		return ptxvm.Index3{}, fmt.Errorf("%q: want X[,Y[,Z]], have %d numbers", text, len(words))
	}
	for i, word := range words {
		n, err := strconv.ParseUint(word, 10, 32)
		if err != nil {
			return ptxvm.Index3{}, fmt.Errorf("%q: want X[,Y[,Z]], numbers from 0", text)
		}
		at[i] = uint32(n)
	}
	return ptxvm.Index3{X: at[0], Y: at[1], Z: at[2]}, nil
}
