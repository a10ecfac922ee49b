package report

// This file finds the place that heads a report: of what was inlined, the innermost that is not of the toolkit.

import (
	"path"
	"regexp"
)

// toolkitHeaders are the folders in which toolkits and systems keep headers that programs do not write themselves: of CUDA as it is
// installed, of its wheels (nvidia/cu13/include), of CCCL's sources (CUB, Thrust, libcu++), of the system.
var toolkitHeaders = regexp.MustCompile(`(?:^|/)(?:usr(?:/local)?|cuda[^/]*|cu[0-9]+|nvidia|[a-z0-9_]+-linux[^/]*)/include/|(?:^|/)(?:cccl|libcudacxx|cub/cub|thrust/thrust)/`)

// Head is the place that stands for a chain of places, the innermost first: the innermost outside the toolkit's headers, or else
// the innermost of all; none of an empty chain.
func Head(chain []Location) (at Location, ok bool) {
	for _, l := range chain {
		if !toolkitHeaders.MatchString(path.Clean(l.File)) {
			return l, true
		}
	}
	if len(chain) == 0 {
		return Location{}, false
	}
	return chain[0], true
}

// headOr is the head of a chain, else the place in PTX.
func headOr(chain []Location, ptx Location) Location {
	if at, ok := Head(chain); ok {
		return at
	}
	return ptx
}
