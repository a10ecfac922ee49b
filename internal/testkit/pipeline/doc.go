// Package pipeline holds what goes through the compiler's new pipeline to the interpreter: bytes, steps, lane operations and faults.
package pipeline
