package main

// Arrays of a context: made once, and filled anew for each launch.

import (
	"fmt"
	"strings"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/testkit/vec"
)

// arrays are those made so far, by what they are and which of them is meant.
type arrays []*ownArray

type ownArray struct {
	Array
	key   string
	bytes int
}

// get returns an array of a context, with the given number among those of its kind, whose bytes
// are vec.Pattern.
func (list *arrays) get(d Driver, desc ptxvm.ArrayDesc, number int) (*ownArray, error) {
	key := fmt.Sprint(describe(desc), " ", number)
	for _, a := range *list {
		if a.key == key {
			return a, a.Write(vec.Pattern(a.bytes))
		}
	}
	made, err := d.NewArray(desc)
	if err != nil {
		return nil, fmt.Errorf("an array %s: %w", describe(desc), err)
	}
	a := &ownArray{made, key, arrayBytes(desc)}
	*list = append(*list, a)
	return a, a.Write(vec.Pattern(a.bytes))
}

// handles are those of every lane's surfaces; what a block does not name has 0.
func (list *arrays) handles(d Driver, images []vec.Image) (all [32][]uint64, err error) {
	for lane := range all {
		all[lane] = make([]uint64, len(images))
		for i, im := range images {
			if !im.Used {
				continue
			}
			a, err := list.get(d, im.ArrayDesc, lane)
			if err != nil {
				return all, err
			}
			all[lane][i] = a.Surface()
		}
	}
	return all, nil
}

// describe writes an array as --image does: 2d 4x3 u8x4.
func describe(desc ptxvm.ArrayDesc) string {
	return fmt.Sprintf("%v %s %v", desc.Geometry, strings.Trim(strings.ReplaceAll(fmt.Sprint(desc.Size), " ", "x"), "[]"), desc.Format)
}

// arrayBytes is the size of an array's samples.
func arrayBytes(desc ptxvm.ArrayDesc) int {
	n := desc.Format.Bytes()
	for _, extent := range desc.Size {
		n *= extent
	}
	return n
}
