// Package cudaabi holds the names that CUDA's libraries export, and the C sources of ours (front). Its Go
// code reads the error codes from those; internal/gen/cudaabi writes what follows from the names: stubs, version scripts and the
// table in docs.
package cudaabi

//go:generate go run ../gen/cudaabi
