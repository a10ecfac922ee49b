package ptxvm

import (
	"testing"
)

// TestFindKernel: names as people write them, against demangled ones; "" where no kernel or more than one is meant.
func TestFindKernel(t *testing.T) {
	var infos []KernelInfo
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
	} {
		infos = append(infos, KernelInfo{Name: symbol, Demangled: demangled(symbol)})
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
		"(anonymous namespace)::hidden": "_ZN12_GLOBAL__N_16hiddenEPj",
		"only":                          "_Z4onlyIfEvv", "only<>": "", "": "", "(": "", "::": "", "<": "",
	} {
		k, err := findKernel(name, infos)
		if k.Name != want || (err == nil) != (want != "") {
			t.Errorf("%q finds %q, %v; want %q", name, k.Name, err, want)
		}
	}
}

// TestKernelCandidates: what could be meant is listed as C++ has it.
func TestKernelCandidates(t *testing.T) {
	var infos []KernelInfo
	for _, symbol := range []string{"_Z4axpyIfEvPT_S0_i", "_Z4axpyIdEvPT_S0_i", "_Z3fooPi"} {
		infos = append(infos, KernelInfo{Name: symbol, Demangled: demangled(symbol)})
	}
	for name, want := range map[string]string{
		"axpy":      `ptxvm: "axpy" could be any of 2 kernels: axpy<float>(float*, float, int); axpy<double>(double*, double, int)`,
		"axpy<int>": `ptxvm: there is no kernel "axpy<int>"; there are axpy<float>(float*, float, int); axpy<double>(double*, double, int)`,
		"foo(char)": `ptxvm: there is no kernel "foo(char)"; there are foo(int*)`,
		"fo":        `ptxvm: there is no kernel "fo"; did you mean foo?`,
	} {
		if _, err := findKernel(name, infos); err == nil || err.Error() != want {
			t.Errorf("%q: %v\nwant %s", name, err, want)
		}
	}
}
