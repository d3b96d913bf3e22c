package picture

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
)

// ErrNotFound means that there is no such image. A store also returns it for a damaged image.
var ErrNotFound = errors.New("image not found")

// Key identifies an image or a thumbnail in a store.
type Key struct {
	// SHA256 is the digest of the image's bytes.
	SHA256 [sha256.Size]byte
	// Thumb selects the thumbnail of that image.
	Thumb bool
}

// Hex returns the digest in 64 lower-case hex digits.
func (k Key) Hex() string { return hex.EncodeToString(k.SHA256[:]) }

// String returns the name of a file or object: the digest, and "-thumb" for a thumbnail.
func (k Key) String() string {
	if k.Thumb {
		return k.Hex() + "-thumb"
	}
	return k.Hex()
}

// checkBody returns an error if these are not the bytes of the image. It can't check a thumbnail, whose digest is
// unknown.
func (k Key) checkBody(body []byte) error {
	if sum := sha256.Sum256(body); !k.Thumb && sum != k.SHA256 {
		return fmt.Errorf("the bytes of image %s have the digest %x", k, sum)
	}
	return nil
}

// Store stores images under the digest of their bytes. It may lose them. It is safe for concurrent use.
type Store interface {
	// Put stores the bytes, and replaces any that are there. Once it returns nil, they survive a crash.
	Put(ctx context.Context, key Key, body []byte) error
	// Open opens an image. size is in bytes. ctx must last until the content is closed. The error wraps ErrNotFound if
	// the image is missing or damaged.
	Open(ctx context.Context, key Key) (content io.ReadSeekCloser, size int64, err error)
}
