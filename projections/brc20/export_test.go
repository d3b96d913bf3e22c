package brc20

// For tests that fold several versions side by side, each into its own tables.
var (
	NewVersion = newVersion
	SpecOf     = specOf
)
