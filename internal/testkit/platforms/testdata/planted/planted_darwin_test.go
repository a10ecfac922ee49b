package planted

import "testing"

func TestPlanted(t *testing.T) {
	unused := Wide
}
