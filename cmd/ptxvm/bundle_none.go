//go:build !cudart

package main

// bundled are the CUDA libraries as a zip file: none in this build.
var bundled []byte
