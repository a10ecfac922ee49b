// Vector files: one line a case, each naming a function of this package.

package num

import (
	"bufio"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// vectorFuncs are the functions that testdata names.
var vectorFuncs = map[string]any{
	"AbsS16":            AbsS16,
	"AbsS32":            AbsS32,
	"AbsS64":            AbsS64,
	"Add16x2":           Add16x2,
	"Add8x4":            Add8x4,
	"AddF32":            AddF32,
	"AddF32F16":         AddF32F16,
	"AddF64":            AddF64,
	"AddFtzF32":         AddFtzF32,
	"AddRMF32":          AddRMF32,
	"AddRPF32":          AddRPF32,
	"AddRPF32F16":       AddRPF32F16,
	"AddRZF32":          AddRZF32,
	"AddSatF32":         AddSatF32,
	"AddSatS16x2":       AddSatS16x2,
	"AddSatS32":         AddSatS32,
	"AddSatS8x4":        AddSatS8x4,
	"AddSatU16x2":       AddSatU16x2,
	"AddSatU32":         AddSatU32,
	"AddSatU8x4":        AddSatU8x4,
	"AtomDecU32":        AtomDecU32,
	"AtomIncU32":        AtomIncU32,
	"BfeS32":            BfeS32,
	"BfeS64":            BfeS64,
	"BfeU32":            BfeU32,
	"BfeU64":            BfeU64,
	"Bfi32":             Bfi32,
	"Bfi64":             Bfi64,
	"BfindS32":          BfindS32,
	"BfindShiftS32":     BfindShiftS32,
	"BfindShiftS64":     BfindShiftS64,
	"BfindShiftU32":     BfindShiftU32,
	"BfindU32":          BfindU32,
	"BfindU64":          BfindU64,
	"BmskClamp32":       BmskClamp32,
	"BmskWrap32":        BmskWrap32,
	"Brev32":            Brev32,
	"ClmadHi64":         ClmadHi64,
	"ClmadLo64":         ClmadLo64,
	"Clz32":             Clz32,
	"Clz64":             Clz64,
	"Cnot32":            Cnot32,
	"CopysignF32":       CopysignF32,
	"CosApproxF32":      CosApproxF32,
	"CvtF16F32":         CvtF16F32,
	"CvtF16F64":         CvtF16F64,
	"CvtF16x2F32":       CvtF16x2F32,
	"CvtF32BF16":        CvtF32BF16,
	"CvtF32F16":         CvtF32F16,
	"CvtF32F64":         CvtF32F64,
	"CvtF32S32":         CvtF32S32,
	"CvtF32U64":         CvtF32U64,
	"CvtF64F32":         CvtF64F32,
	"CvtPackS":          CvtPackS,
	"CvtPackU":          CvtPackU,
	"CvtRmiS32F32":      CvtRmiS32F32,
	"CvtRniF32F32":      CvtRniF32F32,
	"CvtRniS32F32":      CvtRniS32F32,
	"CvtRpiS32F32":      CvtRpiS32F32,
	"CvtRziS32F32":      CvtRziS32F32,
	"CvtRziS32F64":      CvtRziS32F64,
	"CvtRziS64F32":      CvtRziS64F32,
	"CvtRziU32F32":      CvtRziU32F32,
	"CvtRziU32F64":      CvtRziU32F64,
	"CvtRziU64F32":      CvtRziU64F32,
	"DivApproxF32":      DivApproxF32,
	"DivF32":            DivF32,
	"DivF64":            DivF64,
	"DivFullF32":        DivFullF32,
	"DivRMF32":          DivRMF32,
	"DivRPF32":          DivRPF32,
	"DivRPF64":          DivRPF64,
	"DivRZF32":          DivRZF32,
	"DivS16":            DivS16,
	"DivS32":            DivS32,
	"DivU16":            DivU16,
	"DivU32":            DivU32,
	"DivU64":            DivU64,
	"Dp2aHiUU":          Dp2aHiUU,
	"Dp2aLoSS":          Dp2aLoSS,
	"Dp2aLoUU":          Dp2aLoUU,
	"Dp4aSS":            Dp4aSS,
	"Dp4aUS":            Dp4aUS,
	"Dp4aUU":            Dp4aUU,
	"Ex2ApproxF16":      Ex2ApproxF16,
	"Ex2ApproxF32":      Ex2ApproxF32,
	"Ex2ApproxFtzBF16":  Ex2ApproxFtzBF16,
	"Ex2ApproxFtzF32":   Ex2ApproxFtzF32,
	"FmaBF16":           FmaBF16,
	"FmaF16":            FmaF16,
	"FmaF32":            FmaF32,
	"FmaOobBF16":        FmaOobBF16,
	"FmaOobSatF16":      FmaOobSatF16,
	"FmaOobF16":         FmaOobF16,
	"FmaReluF16":        FmaReluF16,
	"Fns32":             Fns32,
	"Lg2ApproxF32":      Lg2ApproxF32,
	"Lg2ApproxFtzF32":   Lg2ApproxFtzF32,
	"Lop3":              Lop3,
	"MadHiSatS32":       MadHiSatS32,
	"MadWideS32":        MadWideS32,
	"MaxF32":            MaxF32,
	"MaxReluS32":        MaxReluS32,
	"MaxS8x4":           MaxS8x4,
	"MinF32":            MinF32,
	"MinF64":            MinF64,
	"MinNaNF32":         MinNaNF32,
	"MinReluS16x2":      MinReluS16x2,
	"MinU8x4":           MinU8x4,
	"MinXorsignAbsF32":  MinXorsignAbsF32,
	"Mul24HiS32":        Mul24HiS32,
	"Mul24HiU32":        Mul24HiU32,
	"Mul24LoS32":        Mul24LoS32,
	"Mul24LoU32":        Mul24LoU32,
	"MulF32":            MulF32,
	"MulF64":            MulF64,
	"MulFtzF32":         MulFtzF32,
	"MulHiS16":          MulHiS16,
	"MulHiS32":          MulHiS32,
	"MulHiS64":          MulHiS64,
	"MulHiU32":          MulHiU32,
	"MulWideS16":        MulWideS16,
	"MulWideS32":        MulWideS32,
	"Neg16":             Neg16,
	"Popc64":            Popc64,
	"Prmt":              Prmt,
	"PrmtB4e":           PrmtB4e,
	"PrmtEcl":           PrmtEcl,
	"PrmtEcr":           PrmtEcr,
	"PrmtF4e":           PrmtF4e,
	"PrmtRc16":          PrmtRc16,
	"PrmtRc8":           PrmtRc8,
	"RcpApproxF32":      RcpApproxF32,
	"RcpApproxFtzF32":   RcpApproxFtzF32,
	"RcpApproxFtzF64":   RcpApproxFtzF64,
	"RcpF32":            RcpF32,
	"RcpF64":            RcpF64,
	"RemS32":            RemS32,
	"RsqrtApproxF32":    RsqrtApproxF32,
	"RsqrtApproxF64":    RsqrtApproxF64,
	"RsqrtApproxFtzF32": RsqrtApproxFtzF32,
	"RsqrtApproxFtzF64": RsqrtApproxFtzF64,
	"SadS16":            SadS16,
	"SadS32":            SadS32,
	"SadU32":            SadU32,
	"ShfLClamp32":       ShfLClamp32,
	"ShfLWrap32":        ShfLWrap32,
	"ShfRClamp32":       ShfRClamp32,
	"ShfRWrap32":        ShfRWrap32,
	"Shl16":             Shl16,
	"Shl32":             Shl32,
	"ShrS16":            ShrS16,
	"ShrS32":            ShrS32,
	"ShrU32":            ShrU32,
	"SinApproxF32":      SinApproxF32,
	"Slct32F32":         Slct32F32,
	"Slct32S32":         Slct32S32,
	"SqrtApproxF32":     SqrtApproxF32,
	"SqrtF64":           SqrtF64,
	"Sub8x4":            Sub8x4,
	"SubF32":            SubF32,
	"SubRMF32":          SubRMF32,
	"SubRZF32":          SubRZF32,
	"SubSatS32":         SubSatS32,
	"SubSatU8x4":        SubSatU8x4,
	"SzextClampS32":     SzextClampS32,
	"SzextClampU32":     SzextClampU32,
	"SzextWrapS32":      SzextWrapS32,
	"SzextWrapU32":      SzextWrapU32,
	"TanhApproxF16":     TanhApproxF16,
	"TanhApproxF32":     TanhApproxF32,
}

// vectorNumber parses a hexadecimal number, or a decimal one ending in a dot.
func vectorNumber(t *testing.T, s string) uint64 {
	base := 16
	if d, ok := strings.CutSuffix(s, "."); ok {
		s, base = d, 10
	}
	v, err := strconv.ParseUint(s, base, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestVectors(t *testing.T) {
	used := map[string]bool{}
	for _, name := range []string{"testdata/int.txt", "testdata/float.txt"} {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		s := bufio.NewScanner(f)
		for line := 1; s.Scan(); line++ {
			w := strings.Fields(s.Text())
			if len(w) == 0 || w[0][0] == '#' {
				continue
			}
			used[w[0]] = true
			if want, got := vectorNumber(t, w[len(w)-1]), callVector(t, w[0], w[1:len(w)-2]); got != want {
				t.Errorf("%s:%d: %s: got %x", name, line, s.Text(), got)
			}
		}
	}
	for name := range vectorFuncs {
		if !used[name] {
			t.Errorf("no vector names %s", name)
		}
	}
}

// callVector calls the named function on the parsed arguments.
func callVector(t *testing.T, name string, args []string) uint64 {
	f := reflect.ValueOf(vectorFuncs[name])
	if !f.IsValid() || f.Type().NumIn() != len(args) {
		t.Fatalf("no function %s of %d arguments", name, len(args))
	}
	in := make([]reflect.Value, len(args))
	for i, s := range args {
		in[i] = reflect.ValueOf(vectorNumber(t, s)).Convert(f.Type().In(i))
	}
	return f.Call(in)[0].Uint()
}
