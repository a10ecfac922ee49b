module ptxvm

go 1.26
