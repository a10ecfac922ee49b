// Package fatbin finds PTX in what compilers make of CUDA programs: fat binaries (plain, LZ4, zstd),
// cubins that carry their PTX, objects, executables and shared libraries.
//
// A file holds units, one for each translation unit or linked device program; a unit holds the same
// program for several targets, as PTX, as machine code, or as LTO intermediate code. Only PTX can be
// run: Unit.Choose picks it for a device, and says what there is instead if there is none.
//
// The formats are undocumented; what is known was read off files that nvcc 13.5 has made. Input is
// untrusted: every size is checked before use, and a Limit bounds what is unpacked.
package fatbin
