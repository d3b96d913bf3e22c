package history

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v4"
)

// Source is where a history is read from.
type Source interface {
	// Open opens a file from a byte on. It returns an error that wraps fs.ErrNotExist for one that is not there.
	Open(ctx context.Context, path string, from int64) (io.ReadCloser, error)
	// String names the source.
	String() string
}

// OpenSource returns the source that a user names: a folder, file:///a/folder, or the address of a folder at an HTTP server.
func OpenSource(name string) (Source, error) {
	scheme, rest, isURL := strings.Cut(name, "://")
	switch {
	case !isURL:
		return &Dir{path: name}, nil
	case scheme == "file":
		return &Dir{path: rest}, nil
	case scheme == "http" || scheme == "https":
		address, err := url.Parse(strings.TrimSuffix(name, "/") + "/")
		if err != nil || address.Host == "" {
			return nil, fmt.Errorf("%q is no address of a history, such as https://example.org/history/v1", name)
		}
		return &web{address: address}, nil
	}
	return nil, fmt.Errorf("%q: want a folder, or the address of one that an HTTP server has", name)
}

// Dir is a history in a folder.
type Dir struct{ path string }

// NewDir returns the history in a folder.
func NewDir(path string) *Dir { return &Dir{path: path} }

// String implements Source.
func (d *Dir) String() string { return d.path }

// Open implements Source. It follows no link out of the folder.
func (d *Dir) Open(_ context.Context, path string, from int64) (io.ReadCloser, error) {
	f, err := os.OpenInRoot(d.path, filepath.FromSlash(path))
	if err != nil {
		return nil, err
	}
	if _, err := f.Seek(from, io.SeekStart); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// web is a history at an HTTP server.
type web struct{ address *url.URL }

// String implements Source.
func (w *web) String() string { return w.address.Redacted() }

// The server must answer within answerTime, and then send something within stallTime.
const (
	answerTime = 30 * time.Second
	stallTime  = time.Minute
)

var client = &http.Client{Transport: &http.Transport{
	Proxy: http.ProxyFromEnvironment, ResponseHeaderTimeout: answerTime, TLSHandshakeTimeout: answerTime,
	DisableCompression: true, // the files are compressed
}}

// Open implements Source.
func (w *web) Open(ctx context.Context, path string, from int64) (io.ReadCloser, error) {
	request, err := http.NewRequest(http.MethodGet, w.address.JoinPath(path).String(), http.NoBody) //nolint:noctx // it gets one below
	if err != nil {
		return nil, err
	}
	if from > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", from))
	}
	ctx, cancel := context.WithCancelCause(ctx)
	response, err := client.Do(request.WithContext(ctx)) //nolint:bodyclose // the caller closes what wraps it
	if err != nil {
		cancel(nil)
		return nil, err
	}
	body := &watched{ReadCloser: response.Body, cancel: cancel}
	body.timer = time.AfterFunc(stallTime, func() { cancel(fmt.Errorf("nothing came for %s", stallTime)) })
	switch {
	case response.StatusCode == http.StatusNotFound:
		return nil, errors.Join(fmt.Errorf("%s: %w", request.URL.Redacted(), fs.ErrNotExist), body.Close())
	case response.StatusCode == http.StatusPartialContent && from > 0:
		return body, nil
	case response.StatusCode != http.StatusOK:
		return nil, errors.Join(fmt.Errorf("%s: the server answers %s", request.URL.Redacted(), response.Status), body.Close())
	}
	if _, err := io.CopyN(io.Discard, body, from); err != nil { // it knows no ranges
		return nil, errors.Join(err, body.Close())
	}
	return body, nil
}

// watched is a body that fails when nothing comes for long.
type watched struct {
	io.ReadCloser
	timer  *time.Timer
	cancel context.CancelCauseFunc
}

func (w *watched) Read(p []byte) (int, error) {
	w.timer.Reset(stallTime)
	return w.ReadCloser.Read(p)
}

func (w *watched) Close() error {
	w.timer.Stop()
	defer w.cancel(nil)
	return w.ReadCloser.Close()
}

// retried calls what reads from a source again if it fails, as connections break.
func retried(ctx context.Context, do func() error) error {
	const most = 6 // half a minute
	wait := backoff.WithMaxRetries(backoff.NewExponentialBackOff(backoff.WithInitialInterval(500*time.Millisecond), backoff.WithMaxElapsedTime(0)), most)
	return backoff.Retry(func() error {
		err := do()
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errOther) {
			return backoff.Permanent(err)
		}
		return err
	}, backoff.WithContext(wait, ctx))
}

// readSmall reads a whole file of at most limit bytes.
func readSmall(ctx context.Context, from Source, path string, limit int64) (text []byte, err error) {
	err = retried(ctx, func() error {
		in, err := from.Open(ctx, path, 0)
		if err != nil {
			return err
		}
		text, err = io.ReadAll(io.LimitReader(in, limit+1))
		if err = errors.Join(err, in.Close()); err == nil && int64(len(text)) > limit {
			return fmt.Errorf("%w: %s has more than %d bytes", errOther, path, limit)
		}
		return err
	})
	return text, err
}

// errOther means that a file is not what it should be, so that it is no use to read it again.
var errOther = errors.New("damaged or incomplete")

// fetch brings a file into dir, and returns its path once its SHA-256 is that of the manifest. What an interrupted call has brought is
// used. A file of a folder stays where it is; then keep is true.
func fetch(ctx context.Context, from Source, f File, dir string) (path string, keep bool, err error) {
	if folder, ok := from.(*Dir); ok {
		in, err := folder.Open(ctx, f.Path, 0)
		if err != nil {
			return "", false, err
		}
		sum, size, err := hashOf(in)
		if err = errors.Join(err, in.Close()); err == nil {
			err = f.isIt(sum, size)
		}
		return filepath.Join(folder.path, filepath.FromSlash(f.Path)), true, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", false, err
	}
	path = filepath.Join(dir, filepath.Base(filepath.FromSlash(f.Path)))
	err = retried(ctx, func() error { return f.download(ctx, from, path) })
	return path, false, err
}

// download appends to a file what it lacks.
func (f *File) download(ctx context.Context, from Source, path string) error {
	out, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = out.Close() }()
	there, err := out.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if there < f.Bytes {
		in, err := from.Open(ctx, f.Path, there)
		if err != nil {
			return err
		}
		_, err = io.CopyN(out, in, f.Bytes-there)
		if err = errors.Join(err, in.Close()); err != nil {
			return fmt.Errorf("download %s: %w", f.Path, err)
		}
	}
	if _, err := out.Seek(0, io.SeekStart); err != nil {
		return err
	}
	sum, size, err := hashOf(out)
	if err == nil {
		err = f.isIt(sum, size)
	}
	if errors.Is(err, errOther) {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

func hashOf(in io.Reader) (sum string, size int64, err error) {
	digest := sha256.New()
	size, err = io.Copy(digest, in)
	return hex.EncodeToString(digest.Sum(nil)), size, err
}

// isIt refuses another file than that of the manifest.
func (f *File) isIt(sum string, size int64) error {
	if sum != f.SHA256 || size != f.Bytes {
		return fmt.Errorf("%w: %s has %d bytes with the SHA-256 %s, and the manifest says %d with %s", errOther, f.Path, size, sum, f.Bytes, f.SHA256)
	}
	return nil
}
