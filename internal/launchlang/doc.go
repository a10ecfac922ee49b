// Package launchlang is the language of launches: how a command line says which kernel runs, on what data, and what must come
// out (docs/arguments.md). ParseArg and its kin read the texts, [ReadRequest] those of a launch, [OpenSession] makes what they
// describe on devices; a [Job] is launched, its results are read, compared with what is expected, and written to their sinks.
package launchlang
