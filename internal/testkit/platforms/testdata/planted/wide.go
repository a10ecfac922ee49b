// Package planted has mistakes that show on some platforms alone.
package planted

// Wide needs 64 bits.
var Wide int = 1 << 40
