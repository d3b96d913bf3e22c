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

	"strata/internal/durable"
)

// Dir is a Store in a folder, with these files:
//
//	tmp/                files that are being written
//	ab/cd/abcd…         the bytes of the image with this digest
//	ab/cd/abcd…-thumb   the bytes of its thumbnail, followed by their SHA-256, which is not in the name
//
// Several processes may share a folder.
type Dir struct {
	root string
	// verified has the files that were read completely and found undamaged.
	verified verified
}

// verified is what Dir needs of otter.Cache. It is an interface because every package that sees the type of a cache compiles
// all of otter anew.
type verified interface {
	GetIfPresent(state fileState) (struct{}, bool)
	Set(state fileState, _ struct{}) (struct{}, bool)
}

// fileState identifies one version of a file. It changes when the file is written again.
type fileState struct {
	key      Key
	size     int64
	modified int64 // nanoseconds since 1970
}

const (
	temporaryFolder = "tmp"
	// temporaryAge is the age at which a temporary file counts as left behind by a crash.
	temporaryAge = time.Hour
	// verifiedMax is the maximum number of files in Dir.verified. Each takes about 200 bytes.
	verifiedMax = 50_000
)

// NewDir creates the folder if there is none, and removes temporary files that a crash has left behind.
func NewDir(root string) (*Dir, error) {
	temporary := filepath.Join(root, temporaryFolder)
	if err := os.MkdirAll(temporary, 0o750); err != nil {
		return nil, fmt.Errorf("create the folder for images: %w", err)
	}
	left, err := os.ReadDir(temporary)
	if err != nil {
		return nil, fmt.Errorf("list unfinished images: %w", err)
	}
	for _, entry := range left {
		info, err := entry.Info()
		if err != nil || time.Since(info.ModTime()) < temporaryAge {
			continue // another process has removed the file or is writing it
		}
		if err := os.Remove(filepath.Join(temporary, entry.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("remove an unfinished image: %w", err)
		}
	}
	verified, err := otter.New(&otter.Options[fileState, struct{}]{MaximumSize: verifiedMax})
	if err != nil {
		return nil, fmt.Errorf("create the cache of verified images: %w", err)
	}
	return &Dir{root, verified}, nil
}

func (d *Dir) path(key Key) string {
	name := key.String()
	return filepath.Join(d.root, name[:2], name[2:4], name)
}

// Put implements Store. It writes a temporary file and renames it, so that no reader sees a part of it.
func (d *Dir) Put(ctx context.Context, key Key, body []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := key.checkBody(body); err != nil {
		return err
	}
	if err := d.write(key, body); err != nil {
		return fmt.Errorf("store image %s: %w", key, err)
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
	return durable.SyncFolder(filepath.Dir(path))
}

// makeFolder creates a folder, unless it exists, so that it survives a crash.
func makeFolder(path string) error {
	err := os.Mkdir(path, 0o750)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return durable.SyncFolder(filepath.Dir(path))
}

// fileContent is the part of a file that Put was given.
type fileContent struct {
	*io.SectionReader
	io.Closer
}

// Open implements Store. The first time that this process opens a file, Open reads and verifies all of it. A damaged
// file counts as missing.
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
	size, err := d.verify(f, key)
	if err != nil {
		_ = f.Close()
		return nil, 0, err
	}
	return fileContent{io.NewSectionReader(f, 0, size), f}, size, nil
}

// verify returns the size of a file's content, or an error if the file is damaged.
func (d *Dir) verify(f *os.File, key Key) (size int64, err error) {
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
	if _, ok := d.verified.GetIfPresent(state); ok {
		return size, nil
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(f, 0, size)); err != nil {
		return 0, fmt.Errorf("read image %s: %w", key, err)
	}
	if [sha256.Size]byte(sum.Sum(nil)) != want {
		return 0, fmt.Errorf("%w: %s is damaged", ErrNotFound, f.Name())
	}
	d.verified.Set(state, struct{}{})
	return size, nil
}
