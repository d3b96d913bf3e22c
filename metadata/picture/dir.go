package picture

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/maypok86/otter/v2"
)

// Dir is a store in a folder. Below it:
//
//	tmp/                what is being written
//	ab/cd/abcd…         the bytes of the image with this digest
//	ab/cd/abcd…-thumb   those of its thumbnail, and then their SHA-256, which no name tells
//
// Several processes may share it.
type Dir struct {
	root string
	// whole are the files that were read through and found undamaged.
	whole *otter.Cache[fileState, struct{}]
}

// fileState changes when a file is written anew.
type fileState struct {
	key      Key
	size     int64
	modified int64 // nanoseconds since 1970
}

const (
	temporaryFolder = "tmp"
	// temporaryAge is after how long a file that is being written is one that a crash left behind.
	temporaryAge = time.Hour
	// wholeMax is how many files are known to be undamaged; each takes about 200 bytes.
	wholeMax = 50_000
)

// NewDir makes the folder when there is none, and removes what a crash left in it.
func NewDir(root string) (*Dir, error) {
	temporary := filepath.Join(root, temporaryFolder)
	if err := os.MkdirAll(temporary, 0o750); err != nil {
		return nil, fmt.Errorf("make the folder for images: %w", err)
	}
	left, err := os.ReadDir(temporary)
	if err != nil {
		return nil, fmt.Errorf("look for unfinished images: %w", err)
	}
	for _, entry := range left {
		info, err := entry.Info()
		if err != nil || time.Since(info.ModTime()) < temporaryAge {
			continue // another process removed or writes it
		}
		if err := os.Remove(filepath.Join(temporary, entry.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("remove an unfinished image: %w", err)
		}
	}
	whole, err := otter.New(&otter.Options[fileState, struct{}]{MaximumSize: wholeMax})
	if err != nil {
		return nil, fmt.Errorf("make the list of undamaged images: %w", err)
	}
	return &Dir{root, whole}, nil
}

func (d *Dir) path(key Key) string {
	name := key.String()
	return filepath.Join(d.root, name[:2], name[2:4], name)
}

// Put writes a file under a temporary name and renames it, so that nobody ever reads half of it.
func (d *Dir) Put(ctx context.Context, key Key, body []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := key.fits(body); err != nil {
		return err
	}
	if err := d.write(key, body); err != nil {
		return fmt.Errorf("keep image %s: %w", key, err)
	}
	return nil
}

func (d *Dir) write(key Key, body []byte) (err error) {
	f, err := os.CreateTemp(filepath.Join(d.root, temporaryFolder), key.Hex()+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	if _, err := f.Write(body); err != nil {
		return err
	}
	if key.Thumb {
		sum := sha256.Sum256(body)
		if _, err := f.Write(sum[:]); err != nil {
			return err
		}
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	path := d.path(key)
	if err := makeFolder(filepath.Dir(filepath.Dir(path))); err != nil {
		return err
	}
	if err := makeFolder(filepath.Dir(path)); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// makeFolder makes a folder that survives a crash; it may exist.
func makeFolder(path string) error {
	err := os.Mkdir(path, 0o750)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// syncFolder makes the names in a folder survive a crash.
func syncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// fileContent is the part of a file that was put.
type fileContent struct {
	*io.SectionReader
	io.Closer
}

// Open reads a file through when this process meets it for the first time: one that was damaged counts as missing.
func (d *Dir) Open(ctx context.Context, key Key) (io.ReadSeekCloser, int64, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	f, err := os.Open(d.path(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, fmt.Errorf("%w: %s", ErrNotFound, key)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("open image %s: %w", key, err)
	}
	size, err := d.checked(f, key)
	if err != nil {
		_ = f.Close()
		return nil, 0, err
	}
	return fileContent{io.NewSectionReader(f, 0, size), f}, size, nil
}

// checked is the size of the content of a file that is whole.
func (d *Dir) checked(f *os.File, key Key) (size int64, err error) {
	info, err := f.Stat()
	if err != nil {
		return 0, fmt.Errorf("open image %s: %w", key, err)
	}
	size, want := info.Size(), key.SHA256
	if key.Thumb {
		if size -= sha256.Size; size < 0 {
			return 0, fmt.Errorf("%w: %s is damaged", ErrNotFound, f.Name())
		}
		if _, err := f.ReadAt(want[:], size); err != nil {
			return 0, fmt.Errorf("read image %s: %w", key, err)
		}
	}
	state := fileState{key, info.Size(), info.ModTime().UnixNano()}
	if _, ok := d.whole.GetIfPresent(state); ok {
		return size, nil
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(f, 0, size)); err != nil {
		return 0, fmt.Errorf("read image %s: %w", key, err)
	}
	if [sha256.Size]byte(sum.Sum(nil)) != want {
		return 0, fmt.Errorf("%w: %s is damaged", ErrNotFound, f.Name())
	}
	d.whole.Set(state, struct{}{})
	return size, nil
}
