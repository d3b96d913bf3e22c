package picture

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
)

// ErrNotFound says that there is no such image. A store returns it also for one that was damaged.
var ErrNotFound = errors.New("image not found")

// Key names what a store keeps.
type Key struct {
	// SHA256 of the image's bytes.
	SHA256 [sha256.Size]byte
	// Thumb names the thumbnail of that image instead.
	Thumb bool
}

// Hex is the digest in 64 lower-case digits.
func (k Key) Hex() string { return hex.EncodeToString(k.SHA256[:]) }

// String is the digest, with "-thumb" for a thumbnail: a name for files and objects.
func (k Key) String() string {
	if k.Thumb {
		return k.Hex() + "-thumb"
	}
	return k.Hex()
}

// fits says whether these may be the bytes of the key. For a thumbnail that can't be told.
func (k Key) fits(body []byte) error {
	if sum := sha256.Sum256(body); !k.Thumb && sum != k.SHA256 {
		return fmt.Errorf("the bytes of image %s have the digest %x", k, sum)
	}
	return nil
}

// Store keeps images under the digest of their bytes. It may lose them. Its methods may be called from anywhere at any
// time.
type Store interface {
	// Put keeps the bytes, instead of those that were there. When it returns nil they survive a crash.
	Put(ctx context.Context, key Key, body []byte) error
	// Open reads what was put. size is in bytes. The context lasts until the content is closed. Its error wraps
	// ErrNotFound when there is nothing, or nothing whole.
	Open(ctx context.Context, key Key) (content io.ReadSeekCloser, size int64, err error)
}
