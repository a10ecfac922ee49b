"""What the plug-in of pytest is made of: processes for tests, reports of ptxvm, settings of marks."""
