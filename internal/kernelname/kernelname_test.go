package kernelname

import (
	"strings"
	"testing"
)

// TestFind: names as people write them, against demangled ones; "" where no kernel or more than one is meant.
func TestFind(t *testing.T) {
	var kernels []Kernel
	for _, symbol := range []string{
		"plain",
		"_Z4axpyIfEvPT_S0_i",          // void axpy<float>(float*, float, int)
		"_Z4axpyIdEvPT_S0_i",          // void axpy<double>(double*, double, int)
		"_Z3fooPi",                    // foo(int*)
		"_Z3fooPfi",                   // foo(float*, int)
		"_ZN2ns3fooEPi",               // ns::foo(int*)
		"_ZN2ns5innerILi3EE3runEv",    // ns::inner<3>::run()
		"_ZN12_GLOBAL__N_16hiddenEPj", // (anonymous namespace)::hidden(unsigned int*)
		"_Z4onlyIfEvv",                // void only<float>()
		"_Z4readPKfPKjPKPKc",          // read(float const*, unsigned int const*, char const* const*)
	} {
		kernels = append(kernels, Kernel{Symbol: symbol, Demangled: Demangle(symbol)})
	}
	for name, want := range map[string]string{
		"plain": "plain", "_Z3fooPi": "_Z3fooPi",
		"axpy<float>": "_Z4axpyIfEvPT_S0_i", " axpy < double > ": "_Z4axpyIdEvPT_S0_i", "axpy": "",
		"void axpy<float>(float*, float, int)": "_Z4axpyIfEvPT_S0_i", "axpy<float>(float *,float,int)": "_Z4axpyIfEvPT_S0_i",
		"axpy(double*, double, int)": "_Z4axpyIdEvPT_S0_i", "axpy<int>": "", "axpy(float*)": "",
		"foo": "", "foo(int*)": "_Z3fooPi", "foo(float*, int)": "_Z3fooPfi", "foo(double*)": "",
		"ns::foo": "_ZN2ns3fooEPi", "ns :: foo ( int * )": "_ZN2ns3fooEPi",
		"run": "_ZN2ns5innerILi3EE3runEv", "inner<3>::run": "_ZN2ns5innerILi3EE3runEv", "inner::run": "_ZN2ns5innerILi3EE3runEv",
		"ns::inner<3>::run()": "_ZN2ns5innerILi3EE3runEv", "inner<4>::run": "",
		"hidden": "_ZN12_GLOBAL__N_16hiddenEPj", "hidden(unsigned int*)": "_ZN12_GLOBAL__N_16hiddenEPj", "hidden(unsignedint*)": "",
		"(anonymous namespace)::hidden":                                "_ZN12_GLOBAL__N_16hiddenEPj",
		"read(const float *, const unsigned int*, const char* const*)": "_Z4readPKfPKjPKPKc", "read(float*)": "",
		"read(float const*, unsigned int const*, char const* const*)": "_Z4readPKfPKjPKPKc",
		"only": "_Z4onlyIfEvv", "only<>": "", "": "", "(": "", "::": "", "<": "",
	} {
		i, err := Find(name, kernels)
		found := ""
		if err == nil {
			found = kernels[i].Symbol
		}
		if found != want || (err == nil) != (want != "") {
			t.Errorf("%q finds %q, %v; want %q", name, found, err, want)
		}
	}
}

// TestCandidates: what could be meant is listed as C++ has it.
func TestCandidates(t *testing.T) {
	var kernels []Kernel
	for _, symbol := range []string{"_Z4axpyIfEvPT_S0_i", "_Z4axpyIdEvPT_S0_i", "_Z3fooPi", "plain"} {
		kernels = append(kernels, Kernel{Symbol: symbol, Demangled: Demangle(symbol)})
	}
	for name, want := range map[string]string{
		"axpy":       `"axpy" could be any of 2 kernels: axpy<float>(float*, float, int); axpy<double>(double*, double, int)`,
		"axpy<int>":  `there is no kernel "axpy<int>"; there are axpy<float>(float*, float, int); axpy<double>(double*, double, int)`,
		"foo(char)":  `there is no kernel "foo(char)"; there are foo(int*)`,
		"plain(int)": `there is no kernel "plain(int)"; the name of plain has no types (extern "C"): write plain`,
		"fo":         `there is no kernel "fo"; did you mean foo?`,
	} {
		if _, err := Find(name, kernels); err == nil || err.Error() != want {
			t.Errorf("%q: %v\nwant %s", name, err, want)
		}
	}
}

// TestBaseName cuts demangled names, and hostile symbols are left alone.
func TestBaseName(t *testing.T) {
	for symbol, want := range map[string]string{
		"saxpy": "saxpy", "_Z5saxpyifPfS_": "saxpy", "_ZN4math4sqrtEPf": "sqrt",
		"_Z3addIfEvPT_": "add", "_ZN1aIN1bIiEEE1fEv": "f", "$odd%": "$odd%",
	} {
		if got := (Kernel{symbol, Demangle(symbol)}).Base(); got != want {
			t.Errorf("%s: %q, want %q", symbol, got, want)
		}
	}
	long := "_Z" + strings.Repeat("1a", 5000)
	if Demangle(long) != long {
		t.Error("a symbol beyond the limit is demangled")
	}
	if n := len(Demangle("_Z1fIJ" + strings.Repeat("S_IT_T_T_T_E", 300) + "EEvv")); n > 1<<maxDemangled {
		t.Errorf("a symbol grows to %d bytes", n)
	}
}

// TestParam: names that compilers make of a kernel's symbol, and others.
func TestParam(t *testing.T) {
	for name, want := range map[string]string{
		"_ZN2ns4axpyIfEEvPT__param_2": "axpy_param_2", "_Z3fooPi_param_0": "foo_param_0", "saxpy_param_1": "saxpy_param_1",
		"_Z3fooPi": "_Z3fooPi", "n": "n", "": "", "_param_": "_param_", "_Znot_param_3": "_Znot_param_3",
	} {
		if got := Param(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// TestLongParam: parameters are told by the function's own name, long ones by number, and names have no ABI tags.
func TestLongParam(t *testing.T) {
	const numba = "_ZN8__main__1fB2v1B14c8tJTIcFKzyF2IE5ArrayIdLi1E1C7mutable7alignedE"
	for name, want := range map[string]string{
		"_Z4axpyIfEvPT_S0_i_param_2": "axpy_param_2", "k_param_0": "k_param_0", "count": "count", numba + "_param_11": "f_param_11",
		"a_kernel_of_triton_with_a_long_name_0d1d2d3de_param_3": "#3", "a_name_that_is_long_and_has_no_number_param_x": "a_name_that_is_long_and_has_no_number_param_x",
	} {
		if got := Param(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if got := Demangle(numba); got != "__main__::f(Array<double, 1, C, mutable, aligned>)" {
		t.Errorf("%s: %s", numba, got)
	}
}
