package picture_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"strata/internal/testkit/must"
	"strata/metadata/picture"
)

const (
	bucketName = "pictures"
	secret     = "very%2Fsecret" // very/secret, as written in an address
)

// newBucket starts a server on the loopback address, and returns the address of a bucket there.
func newBucket(t *testing.T) (address string, server *httptest.Server, backend *s3mem.Backend) {
	t.Helper()
	backend = s3mem.New()
	must.Do(t, backend.CreateBucket(bucketName))
	server = httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	return "s3://key:" + secret + "@" + server.Listener.Addr().String() + "/" + bucketName + "/some/prefix?tls=false", server, backend
}

func openStore(t *testing.T, address string) picture.Store {
	t.Helper()
	return must.Get(picture.OpenStore(address, t.TempDir()))(t)
}

func read(t *testing.T, store picture.Store, key picture.Key) []byte {
	t.Helper()
	content, size, err := store.Open(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer content.Close() //nolint:errcheck // it was only read
	body := must.Get(io.ReadAll(content))(t)
	if int64(len(body)) != size {
		t.Errorf("size: got %d, read %d bytes", size, len(body))
	}
	return body
}

func keyOf(body []byte) picture.Key { return picture.Key{SHA256: sha256.Sum256(body)} }

// TestStore is the conformance test of all stores.
func TestStore(t *testing.T) {
	bucket, _, _ := newBucket(t)
	for name, address := range map[string]string{"Dir": "dir", "Bucket": bucket} {
		t.Run(name, func(t *testing.T) { testStore(t, openStore(t, address)) })
	}
}

func testStore(t *testing.T, store picture.Store) {
	body, small := pngOf(t, gradient(64, 48)), []byte("a thumbnail of it")
	key := keyOf(body)
	thumb := picture.Key{SHA256: key.SHA256, Thumb: true}

	missing := func(key picture.Key) {
		t.Helper()
		if _, _, err := store.Open(t.Context(), key); !errors.Is(err, picture.ErrNotFound) {
			t.Errorf("%s: got %v, want %v", key, err, picture.ErrNotFound)
		}
	}
	put := func(key picture.Key, body []byte) {
		t.Helper()
		must.Do(t, store.Put(t.Context(), key, body))
	}
	missing(key)
	missing(thumb)
	put(key, body)
	missing(thumb)
	put(thumb, small)
	put(key, body) // again
	if got := read(t, store, key); !bytes.Equal(got, body) {
		t.Errorf("image: got %d bytes, want %d", len(got), len(body))
	}
	if got := read(t, store, thumb); !bytes.Equal(got, small) {
		t.Errorf("thumbnail: got %q, want %q", got, small)
	}
	put(thumb, []byte("another"))
	if got := read(t, store, thumb); string(got) != "another" {
		t.Errorf("thumbnail: got %q", got)
	}

	if err := store.Put(t.Context(), key, []byte("other bytes")); err == nil {
		t.Error("Put accepted bytes with another digest")
	}
	if got := read(t, store, key); !bytes.Equal(got, body) {
		t.Error("other bytes replaced the image")
	}

	content, size, err := store.Open(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	if offset, err := content.Seek(-4, io.SeekEnd); err != nil || offset != size-4 {
		t.Errorf("seek: got %d, %v", offset, err)
	}
	if end, err := io.ReadAll(content); err != nil || !bytes.Equal(end, body[len(body)-4:]) {
		t.Errorf("end: got % x, %v", end, err)
	}
	if err := content.Close(); err != nil {
		t.Error(err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := store.Put(ctx, key, body); !errors.Is(err, context.Canceled) {
		t.Errorf("put with an ended context: got %v", err)
	}
	if _, _, err := store.Open(ctx, key); !errors.Is(err, context.Canceled) {
		t.Errorf("open with an ended context: got %v", err)
	}

	// Concurrent calls write and read the same and different keys. Every reader finds a whole image.
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			own := fmt.Appendf(nil, "image %d", i%4)
			for range 5 {
				if err := store.Put(t.Context(), keyOf(own), own); err != nil {
					t.Error(err)
				}
				content, _, err := store.Open(t.Context(), keyOf(own))
				if err != nil {
					t.Error(err)
					continue
				}
				if got, err := io.ReadAll(content); err != nil || !bytes.Equal(got, own) {
					t.Errorf("got %q, %v; want %q", got, err, own)
				}
				if err := content.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

// filesOf returns the relative paths of the files below a folder.
func filesOf(t *testing.T, root string) (files []string) {
	t.Helper()
	must.Do(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			relative, _ := filepath.Rel(root, path)
			files = append(files, relative)
		}
		return err
	}))
	return files
}

func TestDirLayout(t *testing.T) {
	root := t.TempDir()
	store := openStore(t, "dir://"+root)
	body := []byte("an image")
	key := keyOf(body)
	for _, key := range []picture.Key{key, {SHA256: key.SHA256, Thumb: true}} {
		must.Do(t, store.Put(t.Context(), key, body))
	}
	path := filepath.Join(key.Hex()[:2], key.Hex()[2:4], key.Hex())
	if got, want := strings.Join(filesOf(t, root), " "), path+" "+path+"-thumb"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, err := os.ReadFile(filepath.Join(root, path)); err != nil || !bytes.Equal(got, body) {
		t.Errorf("the file of an image has other bytes: %q, %v", got, err)
	}
}

// A damaged file counts as missing, even if it was read before and damaged since. Putting the image again repairs it.
func TestDirDamaged(t *testing.T) {
	for _, thumb := range []bool{false, true} {
		for name, damage := range map[string]func(body []byte) []byte{
			"cut off": func(body []byte) []byte { return body[:len(body)-1] },
			"changed": func(body []byte) []byte { body[len(body)/2] ^= 1; return body },
			"longer":  func(body []byte) []byte { return append(body, 0) },
			"empty":   func([]byte) []byte { return nil },
		} {
			t.Run(fmt.Sprintf("%s thumb=%t", name, thumb), func(t *testing.T) {
				root := t.TempDir()
				body := pngOf(t, gradient(30, 30))
				key := keyOf(body)
				key.Thumb = thumb
				store := openStore(t, "dir://"+root)
				must.Do(t, store.Put(t.Context(), key, body))
				read(t, store, key)
				path := filepath.Join(root, filesOf(t, root)[0])
				whole := must.Get(os.ReadFile(path))(t)
				must.Do(t, os.WriteFile(path, damage(whole), 0o600))
				later := time.Now().Add(time.Second)
				must.Do(t, os.Chtimes(path, later, later))
				for _, store := range []picture.Store{store, openStore(t, "dir://"+root)} {
					if _, _, err := store.Open(t.Context(), key); !errors.Is(err, picture.ErrNotFound) || !strings.Contains(err.Error(), "damaged") {
						t.Errorf("got %v", err)
					}
				}
				must.Do(t, store.Put(t.Context(), key, body))
				if got := read(t, store, key); !bytes.Equal(got, body) {
					t.Error("Put did not repair the file")
				}
			})
		}
	}
}

// Temporary files of a crash are removed, but not those that another process may be writing.
func TestDirRemovesUnfinished(t *testing.T) {
	root := t.TempDir()
	openStore(t, "dir://"+root)
	old, fresh := filepath.Join(root, "tmp", "old"), filepath.Join(root, "tmp", "fresh")
	for _, path := range []string{old, fresh} {
		must.Do(t, os.WriteFile(path, []byte("half"), 0o600))
	}
	past := time.Now().Add(-2 * time.Hour)
	must.Do(t, os.Chtimes(old, past, past))
	openStore(t, "dir://"+root)
	if got := strings.Join(filesOf(t, root), " "); got != filepath.Join("tmp", "fresh") {
		t.Errorf("left: %s", got)
	}
}

// A failed write returns an error and leaves no temporary file.
func TestDirFailure(t *testing.T) {
	root := t.TempDir()
	store := openStore(t, "dir://"+root)
	body := []byte("an image")
	key := keyOf(body)
	must.Do(t, os.WriteFile(filepath.Join(root, key.Hex()[:2]), nil, 0o600)) // a file in place of a folder
	if err := store.Put(t.Context(), key, body); err == nil || !strings.Contains(err.Error(), key.Hex()) {
		t.Errorf("put: got %v", err)
	}
	if _, _, err := store.Open(t.Context(), key); err == nil || errors.Is(err, picture.ErrNotFound) {
		t.Errorf("open: got %v", err)
	}
	if got := filesOf(t, filepath.Join(root, "tmp")); len(got) > 0 {
		t.Errorf("left: %s", got)
	}
}

func TestBucketObjects(t *testing.T) {
	address, _, backend := newBucket(t)
	store := openStore(t, address)
	body := pngOf(t, gradient(5, 5))
	must.Do(t, store.Put(t.Context(), keyOf(body), body))
	object := must.Get(backend.GetObject(bucketName, "some/prefix/"+keyOf(body).Hex(), nil))(t)
	defer object.Contents.Close() //nolint:errcheck // it was only read
	if got := object.Metadata["Content-Type"]; got != "image/png" {
		t.Errorf("content type: got %q", got)
	}
	if got, err := io.ReadAll(object.Contents); err != nil || !bytes.Equal(got, body) {
		t.Errorf("the object has other bytes: %d of %d, %v", len(got), len(body), err)
	}
}

func TestBucketFailure(t *testing.T) {
	address, server, _ := newBucket(t)
	body := []byte("an image")

	other := openStore(t, strings.Replace(address, bucketName, "nowhere", 1))
	if err := other.Put(t.Context(), keyOf(body), body); err == nil || !strings.Contains(err.Error(), "create the bucket first") {
		t.Errorf("no bucket: got %v", err)
	}

	server.Close()
	store := openStore(t, address)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	err := store.Put(ctx, keyOf(body), body)
	if err == nil || !strings.Contains(err.Error(), server.Listener.Addr().String()) || ctx.Err() != nil {
		t.Errorf("put: got %v", err)
	}
	_, _, openErr := store.Open(ctx, keyOf(body))
	if openErr == nil || errors.Is(openErr, picture.ErrNotFound) || ctx.Err() != nil {
		t.Errorf("open: got %v", openErr)
	}
	for _, err := range []error{err, openErr} {
		if strings.Contains(fmt.Sprint(err), "very") {
			t.Errorf("the error reveals the secret: %v", err)
		}
	}
}
