package x86

import "strings"

// Feature is a set of CPU features beyond the amd64 baseline.
type Feature uint32

// String returns the names of the set: "AVX2 FMA".
func (f Feature) String() string {
	var names []string
	for i, name := range featureNames {
		if f>>i&1 != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}
