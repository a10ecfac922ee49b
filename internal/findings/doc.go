// Package findings puts what the machine and the sanitizers have found into the terms of the source: the words of each kind of report
// and fault, the names of what was touched, and the places in PTX and in the source behind it.
//
// It reads decoded code (package decode) and the memory of a device; package report has what comes out.
package findings
