package report

// This file finds the place that heads a report: of what was inlined, the innermost that is not of the toolkit.

import (
	"path"
	"regexp"
	"strings"
)

// toolkitHeaders are files that programs do not write themselves: all in the include folders of a toolkit as it is installed, of its
// wheels (nvidia/cu13/include) and of CCCL's sources; in other include folders, where distributions put them beside everything else,
// what has a name of CUDA's or CCCL's headers with device code, or belongs to the C++ library.
var toolkitHeaders = regexp.MustCompile(`(?:^|/)(?:` + strings.Join([]string{
	`(?:usr/local|usr/lib|opt)/cuda/include/`, `cuda[-/]v?[0-9][^/]*/include/`, `nvidia/[^/]+/include/`, `targets/[^/]+-linux[^/]*/include/`,
	`cccl/`, `libcudacxx/`, `cub/cub/`, `thrust/thrust/`,
	`include/(?:c\+\+|crt|cub|thrust|nv|cuda/(?:std|__[^/]+|experimental)|cooperative_groups|nvfunctional)/`,
	`include/(?:cooperative_groups|mma|nvfunctional|cuComplex|(?:math|common|vector|(?:device|sm_[0-9]+)(?:_atomic|_double)?)_functions|` +
		`sm_[0-9]+_intrinsics|math_constants|vector_types|(?:surface|texture)_(?:indirect_functions|functions|fetch_functions|types)|` +
		`cuda_(?:b?fp?[0-9]+|tf32|awbarrier|pipeline|runtime|device_runtime|tile)(?:_helpers|_primitives|_api)?|curand_[a-z0-9_]+)(?:\.hp?p?)?$`,
}, "|") + `)`)

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
