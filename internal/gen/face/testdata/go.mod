module example.invalid/m
