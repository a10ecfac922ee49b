// Package tex is the arithmetic of images: formats of samples, extents and layout, where the
// coordinates of a surface instruction point (9.7.11), and what a texture instruction makes of the
// texels around its coordinates (9.7.10). Memory comes to it as bytes, and it knows no instruction.
package tex
