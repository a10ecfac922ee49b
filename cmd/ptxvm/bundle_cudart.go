//go:build cudart

package main

import _ "embed"

// bundled are the CUDA libraries as a zip file, which internal/gen/bundle makes (.ci/release).
//
//go:embed libraries.zip
var bundled []byte
