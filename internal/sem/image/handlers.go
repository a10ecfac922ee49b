// Package image says what statements about surfaces and textures do.
package image

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// Wing is the lines of this package, and what executes its operations.
func Wing() sem.Wing {
	return sem.Wing{
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
