package planted

import "testing"

func TestWide(t *testing.T) {
	if Wide == 0 {
		t.Error(Wide)
	}
}
