package picture_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"image/color"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"strata/domain/fetch"
	"strata/internal/testkit/must"
	"strata/metadata/picture"
)

// imageSource has images by their digest, like the log.
type imageSource struct {
	images map[[sha256.Size]byte][]byte
	facts  map[[sha256.Size]byte]fetch.ImageFacts // by default those that Inspect returns
	// failure is the error of a lookup, and bodyFailure the error of reading the bytes; nil for none.
	failure, bodyFailure error
	read                 atomic.Int32 // number of times that bytes were read
	// gate blocks reads until it is closed, unless it is nil.
	gate chan struct{}
}

func newImageSource(t *testing.T, bodies ...[]byte) *imageSource {
	t.Helper()
	s := &imageSource{images: map[[sha256.Size]byte][]byte{}, facts: map[[sha256.Size]byte]fetch.ImageFacts{}}
	for _, body := range bodies {
		facts := must.Get(picture.Inspect(body))(t)
		s.images[sha256.Sum256(body)], s.facts[sha256.Sum256(body)] = body, facts
	}
	return s
}

func (s *imageSource) lookup(_ context.Context, digest [sha256.Size]byte) (fetch.ImageFacts, func(context.Context) ([]byte, error), error) {
	body, ok := s.images[digest]
	switch {
	case s.failure != nil:
		return fetch.ImageFacts{}, nil, s.failure
	case !ok:
		return fetch.ImageFacts{}, nil, picture.ErrNotFound
	}
	return s.facts[digest], func(ctx context.Context) ([]byte, error) {
		s.read.Add(1)
		if s.gate != nil {
			select {
			case <-s.gate:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		return body, s.bodyFailure
	}, nil
}

func serve(t *testing.T, h http.Handler, method, path string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestHandler(t *testing.T) {
	bucket, _, _ := newBucket(t)
	photo, drawing := pngOf(t, gradient(400, 100)), svgOf("<g/>")
	webp := webpOf(losslessWebP(4, 4, color.NRGBA{1, 2, 3, 255}))
	for name, address := range map[string]string{"Dir": "dir", "Bucket": bucket} {
		t.Run(name, func(t *testing.T) {
			store := openStore(t, address)
			known := newImageSource(t, photo, drawing, webp)
			h := picture.Handler(store, known.lookup, nil)
			for _, test := range []struct {
				body                   []byte
				contentType, thumbType string
			}{{photo, "image/png", "image/png"}, {drawing, "image/svg+xml", "image/svg+xml"}, {webp, "image/webp", "image/png"}} {
				facts := must.Get(picture.Keep(t.Context(), store, test.body))(t)
				small := must.Get(picture.Thumbnail(test.body, facts))(t)
				path := "/images/" + facts.SHA256
				for _, want := range []struct {
					path, contentType, tag string
					body                   []byte
				}{{path, test.contentType, `"` + facts.SHA256 + `"`, test.body}, {path + "/thumb", test.thumbType, `"` + facts.SHA256 + `-thumb"`, small}} {
					for _, method := range []string{http.MethodGet, http.MethodHead} {
						w := serve(t, h, method, want.path)
						body := want.body
						if method == http.MethodHead {
							body = nil
						}
						if w.Code != http.StatusOK || !bytes.Equal(w.Body.Bytes(), body) {
							t.Errorf("%s %s: got %d with %d bytes, want %d", method, want.path, w.Code, w.Body.Len(), len(body))
						}
						for name, value := range map[string]string{
							"Content-Type": want.contentType, "ETag": want.tag, "Cache-Control": "public, max-age=31536000, immutable",
							"X-Content-Type-Options": "nosniff", "Access-Control-Allow-Origin": "*", "Content-Disposition": "inline",
							"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; sandbox", "Accept-Ranges": "bytes", "Last-Modified": "",
						} {
							if got := w.Header().Get(name); got != value {
								t.Errorf("%s %s: %s: got %q, want %q", method, want.path, name, got, value)
							}
						}
					}
				}
			}
			if known.read.Load() != 0 {
				t.Errorf("the handler read %d images that the store has", known.read.Load())
			}
		})
	}
}

func TestHandlerConditionsAndRanges(t *testing.T) {
	body := pngOf(t, gradient(40, 40))
	store := &memoryStore{}
	must.Get(picture.Keep(t.Context(), store, body))(t)
	h := picture.Handler(store, newImageSource(t, body).lookup, nil)
	path, tag := "/images/"+keyOf(body).Hex(), `"`+keyOf(body).Hex()+`"`
	for name, test := range map[string]struct {
		header []string
		status int
		body   []byte
		ranges string
	}{
		"same tag":         {[]string{"If-None-Match", tag}, http.StatusNotModified, nil, ""},
		"one of many":      {[]string{"If-None-Match", `"x", W/` + tag}, http.StatusNotModified, nil, ""},
		"any":              {[]string{"If-None-Match", "*"}, http.StatusNotModified, nil, ""},
		"other tag":        {[]string{"If-None-Match", `"x"`}, http.StatusOK, body, ""},
		"match fails":      {[]string{"If-Match", `"x"`}, http.StatusPreconditionFailed, nil, ""},
		"first bytes":      {[]string{"Range", "bytes=0-7"}, http.StatusPartialContent, body[:8], "bytes 0-7/"},
		"last bytes":       {[]string{"Range", "bytes=-5"}, http.StatusPartialContent, body[len(body)-5:], "bytes "},
		"range of this":    {[]string{"Range", "bytes=3-", "If-Range", tag}, http.StatusPartialContent, body[3:], "bytes 3-"},
		"range of another": {[]string{"Range", "bytes=3-", "If-Range", `"x"`}, http.StatusOK, body, ""},
		"outside":          {[]string{"Range", "bytes=999999-"}, http.StatusRequestedRangeNotSatisfiable, nil, "bytes */"},
	} {
		t.Run(name, func(t *testing.T) {
			w := serve(t, h, http.MethodGet, path, test.header...)
			if w.Code != test.status || test.body != nil && !bytes.Equal(w.Body.Bytes(), test.body) {
				t.Errorf("got %d with %d bytes, want %d with %d", w.Code, w.Body.Len(), test.status, len(test.body))
			}
			if got := w.Header().Get("Content-Range"); !strings.HasPrefix(got, test.ranges) || (got == "") != (test.ranges == "") {
				t.Errorf("range: got %q, want %q", got, test.ranges)
			}
			if w.Code == http.StatusNotModified && (w.Header().Get("ETag") != tag || w.Body.Len() > 0) {
				t.Errorf("not modified: tag %s, %d bytes", w.Header().Get("ETag"), w.Body.Len())
			}
		})
	}
}

func TestHandlerFailures(t *testing.T) {
	body := pngOf(t, gradient(4, 4))
	digest := keyOf(body).Hex()
	outage := errors.New("no database at 127.0.0.1")
	page := newImageSource(t, body)
	page.facts[keyOf(body).SHA256] = fetch.ImageFacts{ContentType: "text/html"}
	other := newImageSource(t, body)
	other.images[keyOf(body).SHA256] = []byte("other bytes")
	for name, test := range map[string]struct {
		imageSource *imageSource
		method      string
		path        string
		status      int
		said        string
	}{
		"unknown":           {newImageSource(t), "GET", "/images/" + digest, 404, "Image not found"},
		"unknown thumbnail": {newImageSource(t), "GET", "/images/" + digest + "/thumb", 404, "Image not found"},
		"other path":        {newImageSource(t, body), "GET", "/images/" + digest + "/large", 404, "Image not found"},
		"no digest":         {newImageSource(t, body), "GET", "/images/", 404, "Image not found"},
		"short":             {newImageSource(t, body), "GET", "/images/" + digest[:62], 400, "SHA-256"},
		"odd":               {newImageSource(t, body), "GET", "/images/" + digest[:63], 400, "SHA-256"},
		"long":              {newImageSource(t, body), "GET", "/images/" + digest + "00/thumb", 400, "SHA-256"},
		"upper case":        {newImageSource(t, body), "GET", "/images/" + strings.ToUpper(digest), 400, "SHA-256"},
		"no hex":            {newImageSource(t, body), "GET", "/images/" + strings.Repeat("x", 64), 400, "SHA-256"},
		"prefixed":          {newImageSource(t, body), "GET", "/images/0x" + digest, 400, "SHA-256"},
		"lookup fails":      {&imageSource{failure: outage}, "GET", "/images/" + digest, 503, "now"},
		"a page":            {page, "GET", "/images/" + digest, 503, "now"},
		"other bytes":       {other, "GET", "/images/" + digest, 503, "now"},
		"body fails":        {func() *imageSource { s := newImageSource(t, body); s.bodyFailure = outage; return s }(), "GET", "/images/" + digest, 503, "now"},
	} {
		t.Run(name, func(t *testing.T) {
			w := serve(t, picture.Handler(&memoryStore{}, test.imageSource.lookup, nil), test.method, test.path)
			var said struct{ Error string }
			if err := json.Unmarshal(w.Body.Bytes(), &said); err != nil {
				t.Fatalf("%s: %v", w.Body, err)
			}
			if w.Code != test.status || !strings.Contains(said.Error, test.said) || strings.Contains(said.Error, "127.0.0.1") {
				t.Errorf("got %d %s, want %d %s", w.Code, said.Error, test.status, test.said)
			}
			if got := w.Header(); got.Get("Cache-Control") != "no-cache" || got.Get("Content-Type") != "application/json" || got.Get("X-Content-Type-Options") != "nosniff" || got.Get("Etag") != "" {
				t.Errorf("header: %v", got)
			}
		})
	}
	if w := serve(t, picture.Handler(&memoryStore{}, newImageSource(t, body).lookup, nil), http.MethodPost, "/images/"+digest); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: got %d", w.Code)
	}
}

// An image that the store has lost or damaged is regenerated and put back.
func TestHandlerRegenerates(t *testing.T) {
	body := pngOf(t, gradient(400, 100))
	digest := keyOf(body).Hex()
	for name, harm := range map[string]func(t *testing.T, path string){
		"lost": func(t *testing.T, path string) {
			must.Do(t, os.Remove(path))
		},
		"damaged": func(t *testing.T, path string) {
			must.Do(t, os.WriteFile(path, []byte("something else"), 0o600))
		},
	} {
		for _, what := range []string{"", "/thumb"} {
			t.Run(name+what, func(t *testing.T) {
				root := t.TempDir()
				known := newImageSource(t, body)
				store := openStore(t, "dir://"+root)
				must.Get(picture.Keep(t.Context(), store, body))(t)
				var log bytes.Buffer
				h := picture.Handler(store, known.lookup, slog.New(slog.NewTextHandler(&log, nil)))
				before := serve(t, h, http.MethodGet, "/images/"+digest+what)
				harm(t, filepath.Join(root, digest[:2], digest[2:4], digest+strings.ReplaceAll(what, "/", "-")))
				for range 2 {
					w := serve(t, h, http.MethodGet, "/images/"+digest+what)
					if w.Code != http.StatusOK || !bytes.Equal(w.Body.Bytes(), before.Body.Bytes()) || w.Header().Get("ETag") != before.Header().Get("ETag") {
						t.Errorf("got %d with %d bytes, before %d", w.Code, w.Body.Len(), before.Body.Len())
					}
				}
				if got := known.read.Load(); got != 1 {
					t.Errorf("the bytes were read %d times, want once", got)
				}
				if !strings.Contains(log.String(), digest) {
					t.Errorf("log: %s", &log)
				}
			})
		}
	}
}

// While the store is down, images are still served.
func TestHandlerStoreDown(t *testing.T) {
	body := pngOf(t, gradient(4, 4))
	var log bytes.Buffer
	h := picture.Handler(&memoryStore{failure: errors.New("the bucket is away")}, newImageSource(t, body).lookup, slog.New(slog.NewTextHandler(&log, nil)))
	w := serve(t, h, http.MethodGet, "/images/"+keyOf(body).Hex())
	if w.Code != http.StatusOK || !bytes.Equal(w.Body.Bytes(), body) {
		t.Errorf("got %d with %d bytes", w.Code, w.Body.Len())
	}
	if got := strings.Count(log.String(), "the bucket is away"); got != 2 {
		t.Errorf("log: want the failures of Open and Put:\n%s", &log)
	}
}

// hangingStore blocks each call until its context ends.
type hangingStore struct{}

func (hangingStore) Put(ctx context.Context, _ picture.Key, _ []byte) error {
	<-ctx.Done()
	return ctx.Err()
}

func (hangingStore) Open(ctx context.Context, _ picture.Key) (io.ReadSeekCloser, int64, error) {
	<-ctx.Done()
	return nil, 0, ctx.Err()
}

// A request does not wait long for a store that does not answer.
func TestHandlerStoreHangs(t *testing.T) {
	body := pngOf(t, gradient(4, 4))
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		w := serve(t, picture.Handler(hangingStore{}, newImageSource(t, body).lookup, nil), http.MethodGet, "/images/"+keyOf(body).Hex())
		if took := time.Since(start); w.Code != http.StatusOK || !bytes.Equal(w.Body.Bytes(), body) || took > 10*time.Second {
			t.Errorf("got %d with %d bytes after %v", w.Code, w.Body.Len(), took)
		}
	})
}

// Requests for the same lost image share one regeneration, which goes on when the first of them leaves. The image and
// its thumbnail are regenerated separately.
func TestHandlerRegeneratesOnce(t *testing.T) {
	body := pngOf(t, gradient(400, 100))
	digest := keyOf(body).Hex()
	synctest.Test(t, func(t *testing.T) {
		known := newImageSource(t, body)
		known.gate = make(chan struct{})
		h := picture.Handler(&memoryStore{}, known.lookup, nil)

		ctx, leave := context.WithCancel(t.Context())
		left := make(chan int, 1)
		go func() {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/images/"+digest, nil))
			left <- w.Body.Len()
		}()
		synctest.Wait()
		answers := make(chan *httptest.ResponseRecorder, 20)
		for range 10 {
			go func() { answers <- serve(t, h, http.MethodGet, "/images/"+digest) }()
			go func() { answers <- serve(t, h, http.MethodGet, "/images/"+digest+"/thumb") }()
		}
		synctest.Wait()
		leave()
		if got := <-left; got != 0 {
			t.Errorf("the client that left got %d bytes", got)
		}
		synctest.Wait()
		close(known.gate)
		for range cap(answers) {
			if w := <-answers; w.Code != http.StatusOK || w.Body.Len() == 0 {
				t.Errorf("got %d with %d bytes: %s", w.Code, w.Body.Len(), w.Body)
			}
		}
		if got := known.read.Load(); got != 2 {
			t.Errorf("the bytes were read %d times, want once for the image and once for the thumbnail", got)
		}
	})
}
