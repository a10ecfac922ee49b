package planted

var only = absent
