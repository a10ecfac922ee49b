// Package examples holds the kernels that come with the command: a folder a task, with its source, the PTX that a compiler
// made of it, NAME.txt with the options that run it, and NAME.txtar, the case that says what must come out.
package examples

import "embed"

// FS has NAME/NAME.EXT for each.
//
//go:embed */*.cu */*.c */*.py */*.ptx */*.json */*.txt */*.txtar
var FS embed.FS
