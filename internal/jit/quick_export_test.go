package jit

// ForgetTemplates makes the next compilation by the quick tier the first of its process.
func ForgetTemplates() { templatesMade = [2]*templates{} }

// Templates is how many there are of a width.
func Templates(v Vectors) (n int) {
	for _, t := range templatesOf(v == AVX512).forms {
		if t != nil {
			n++
		}
	}
	return n
}
