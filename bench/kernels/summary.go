package kernels

// This file says what is committed of a result: a sum of bytes that are exact, samples of those that are not.

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
)

// samples is how many elements of an inexact buffer are kept.
const samples = 16

// Summary is what is committed of the bytes of a buffer.
func Summary(got []byte, b *corpus.Buffer) string {
	if b.Tol == (corpus.Tolerance{}) {
		sum := sha256.Sum256(got)
		return fmt.Sprintf("sha256 %x", sum[:12])
	}
	text := "samples"
	for i := range samples {
		text += fmt.Sprintf(" %v", sample(got, b, i))
	}
	return text
}

// sample is one of the elements that are kept, evenly spaced.
func sample(got []byte, b *corpus.Buffer, i int) float64 {
	size := b.Elem.Size()
	p := got[i*(len(got)/size)/samples*size:]
	if b.Elem == corpus.F64 {
		return math.Float64frombits(binary.LittleEndian.Uint64(p))
	}
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(p)))
}

// Matches compares the bytes of a buffer with what is committed.
func Matches(got []byte, b *corpus.Buffer, want string) error {
	values, inexact := strings.CutPrefix(want, "samples ")
	if !inexact {
		if have := Summary(got, b); have != want {
			return fmt.Errorf("%s: %s, want %s", b.Name, have, want)
		}
		return nil
	}
	for i, text := range strings.Fields(values) {
		w, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return err
		}
		if v := sample(got, b, i); !(math.Abs(v-w) <= b.Tol.Abs+float64(b.Tol.Rel*math.Abs(w))) {
			return fmt.Errorf("%s: sample %d is %v, want %v", b.Name, i, v, w)
		}
	}
	return nil
}
