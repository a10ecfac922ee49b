package syntax

import "unsafe"

// sameText returns a text as a string without copying it. Who gives a text to Parse does not change it while the
// file is in use.
func sameText(text []byte) string { return unsafe.String(unsafe.SliceData(text), len(text)) }
