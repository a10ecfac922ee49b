package sem

// Surfaces and textures.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// ImageWing is the lines of this package, and what executes its operations.
func ImageWing() Wing {
	return Wing{
		Lines: slices.Concat(surfaceLines(), textureLines()),
		Handlers: map[uop.Op]machine.Handler{
			uop.SurfaceLoad:   surfaceLoad,
			uop.SurfaceStore:  surfaceStore,
			uop.SampleStore:   sampleStore,
			uop.SurfaceReduce: surfaceReduce,
			uop.SurfaceQuery:  querySurface,
			uop.Texture:       readTexture,
			uop.TextureQuery:  queryTexture,
			uop.IsReference:   isReference,
		},
	}
}
