// Package cputime tells benchmarks what processor time the process has used, which on a busy machine says more than a clock does.
package cputime
