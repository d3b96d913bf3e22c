package main

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"

	"strata/readapi"
)

// The linker sets these; see the Makefile.
var (
	buildVersion = "dev"
	branch       = "unknown"
	commit       = "unknown"
)

func build() readapi.Version {
	return readapi.Version{Tag: buildVersion, Branch: branch, Commit: commit}
}

// program returns the SHA-256 digest of this executable, cut to 16 bytes, in hexadecimal digits. It separates cached
// answers of different builds, which may answer the same request differently. It is empty if the executable can't be
// read.
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
