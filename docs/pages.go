// Package docs holds the pages that a reader, or a program that reads for one, looks things up in.
package docs

import "embed"

// Pages has the pages of reference, NAME.md, and howto/NAME.md.
//
//go:embed arguments.md captures.md commands.md errors.md exit-codes.md grade.md isa.md json.md oracle.md ptxas-differences.md
//go:embed sanitizers.md tensor-memory.md howto/*.md
var Pages embed.FS
