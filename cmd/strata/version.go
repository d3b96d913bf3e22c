package main

import "strata/readapi"

// Set by the linker; see the Makefile.
var (
	version = "dev"
	branch  = "unknown"
	commit  = "unknown"
)

func build() readapi.Version { return readapi.Version{Tag: version, Branch: branch, Commit: commit} }
