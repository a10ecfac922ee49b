package mutants

// The mutation operators that work on constants: numbers, masks, truth values, rounding modes.

import (
	"fmt"
	"go/ast"
	"go/token"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
)

// constants moves a decimal number by one and takes the top or the lowest bit off a mask,
// which is a number in another base; a float moves by a thousandth.
func constants(f *finder, n ast.Node) {
	lit, ok := n.(*ast.BasicLit)
	if !ok {
		return
	}
	switch lit.Kind {
	case token.INT:
		v, err := strconv.ParseUint(lit.Value, 0, 64)
		if err != nil {
			return
		}
		for _, repl := range integerMutants(lit.Value, v) {
			f.replace("constant", lit, repl)
		}
	case token.FLOAT:
		if repl, ok := floatMutant(lit.Value); ok {
			f.replace("constant", lit, repl)
		}
	}
}

func integerMutants(text string, v uint64) []string {
	if !strings.HasPrefix(text, "0x") || v < 2 {
		if v == 0 {
			return []string{"1"}
		}
		return []string{strconv.FormatUint(v-1, 10), strconv.FormatUint(v+1, 10)}
	}
	top := uint64(1) << (bits.Len64(v) - 1)
	masks := []string{fmt.Sprintf("%#x", v&^top)}
	if low := v & (v - 1); low != v&^top {
		masks = append(masks, fmt.Sprintf("%#x", low))
	}
	return masks
}

// floatMutant scales a number by 1.001.
func floatMutant(text string) (string, bool) {
	v, ok := new(big.Float).SetString(text)
	if !ok {
		return "", false
	}
	if v.Sign() == 0 {
		return "1.0", true
	}
	x, _ := v.Float64()
	return strconv.FormatFloat(x*1.001, 'g', -1, 64), true
}

// truth swaps true and false.
func truth(f *finder, n ast.Node) {
	switch {
	case isExpr(n, "true"):
		f.replace("truth", n, "false")
	case isExpr(n, "false"):
		f.replace("truth", n, "true")
	}
}

func isExpr(n ast.Node, name string) bool {
	x, ok := n.(ast.Expr)
	return ok && isName(x, name)
}

// roundings are the modes and the functions that round, each with what it is taken for.
var roundings = map[string]string{
	"RN": "RZ", "RZ": "RM", "RM": "RP", "RP": "RN", "RNA": "RN",
	"math.RoundToEven": "math.Trunc", "math.Trunc": "math.Floor", "math.Floor": "math.Ceil", "math.Ceil": "math.RoundToEven",
	"num.RN": "num.RZ", "num.RZ": "num.RM", "num.RM": "num.RP", "num.RP": "num.RN",
	"isa.M_rn": "isa.M_rz", "isa.M_rz": "isa.M_rm", "isa.M_rm": "isa.M_rp", "isa.M_rp": "isa.M_rn",
}

func rounding(f *finder, n ast.Node) {
	if to, ok := roundings[reference(n)]; ok {
		if _, selected := f.parent().(*ast.SelectorExpr); !selected {
			f.replace("rounding", n, to)
		}
	}
}

// reference returns the text of a name, plain or qualified; "" for other nodes.
func reference(n ast.Node) string {
	switch n := n.(type) {
	case *ast.Ident:
		return n.Name
	case *ast.SelectorExpr:
		if x, ok := n.X.(*ast.Ident); ok {
			return x.Name + "." + n.Sel.Name
		}
	}
	return ""
}
