package main

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"

	"strata/readapi"
)

// Set by the linker; see the Makefile.
var (
	buildVersion = "dev"
	branch       = "unknown"
	commit       = "unknown"
)

func build() readapi.Version {
	return readapi.Version{Tag: buildVersion, Branch: branch, Commit: commit}
}

// program is the digest of this program: another build may answer the same request in another way. Empty when the
// program's file can't be read.
func program() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	digest := sha256.New()
	if _, err := io.Copy(digest, file); err != nil {
		return ""
	}
	return hex.EncodeToString(digest.Sum(nil)[:16])
}
