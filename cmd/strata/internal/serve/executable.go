package serve

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"sync"
)

// executableDigest returns the SHA-256 digest of this executable, cut to 16 bytes, in hexadecimal digits. It separates
// cached answers of different builds, which may answer the same request differently. It is empty if the executable can't
// be read.
var executableDigest = sync.OnceValue(func() string {
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
})
