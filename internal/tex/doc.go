// Package tex is the arithmetic of images: formats of samples, extents and layout, and where the
// coordinates of a surface instruction point (9.7.11). It touches no memory and knows no
// instruction.
package tex
