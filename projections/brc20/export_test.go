package brc20

// Versions with tables of their own, which a test folds side by side.
var (
	NewVersion = newVersion
	SpecOf     = specOf
)
