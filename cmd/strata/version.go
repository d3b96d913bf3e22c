package main

import "strata/readapi"

// The linker sets these; see the Makefile.
var (
	buildVersion = "dev"
	branch       = "unknown"
	commit       = "unknown"
)

func build() readapi.Version {
	return readapi.Version{Tag: buildVersion, Branch: branch, Commit: commit}
}
