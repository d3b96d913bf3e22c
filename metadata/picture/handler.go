package picture

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"golang.org/x/sync/singleflight"

	"strata/domain/fetch"
)

// Lookup returns the facts about an image, and a function that reads its bytes from the log. body is called only if the
// store has lost the image. The error wraps ErrNotFound if the image is unknown.
type Lookup func(ctx context.Context, digest [sha256.Size]byte) (facts fetch.ImageFacts, body func(ctx context.Context) ([]byte, error), err error)

const (
	// regenerateTimeout bounds the time to regenerate an image that the store has lost.
	regenerateTimeout = time.Minute
	// storeTimeout is how long a viewer waits for the store to find an image, and again for the store to accept one.
	// After that the image is served without the store.
	storeTimeout = 5 * time.Second
)

// contentSecurityPolicy restricts an SVG that is opened as a page: it may only draw, also with the images and fonts in it.
const contentSecurityPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; sandbox"

// servableTypes lists the content types that may be served. Content of another type could be a stranger's page under
// the name of this server.
var servableTypes = map[string]bool{typePNG: true, typeJPEG: true, typeGIF: true, typeWebP: true, typeTIFF: true, typeSVG: true}

// Handler returns a handler for GET and HEAD of
//
//	/images/{sha256}         the image, byte for byte
//	/images/{sha256}/thumb   its thumbnail
//
// with ranges and conditions (RFC 9110). If the store has lost an image, the handler regenerates it from the bytes of
// lookup, puts it back, and serves it even if the store does not accept it. It logs failures of the store and of
// lookup, unless logger is nil.
func Handler(store Store, lookup Lookup, logger *slog.Logger) http.Handler {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	h := &handler{store: store, lookup: lookup, logger: logger}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /images/{sha256}", func(w http.ResponseWriter, r *http.Request) { h.serve(w, r, false) })
	mux.HandleFunc("GET /images/{sha256}/thumb", func(w http.ResponseWriter, r *http.Request) { h.serve(w, r, true) })
	mux.HandleFunc("GET /", func(w http.ResponseWriter, _ *http.Request) { notFound(w) })
	return mux
}

type handler struct {
	store        Store
	lookup       Lookup
	logger       *slog.Logger
	regenerating singleflight.Group // by key
}

func (h *handler) serve(w http.ResponseWriter, r *http.Request, thumb bool) {
	key := Key{Thumb: thumb}
	digest := r.PathValue("sha256")
	if n, err := hex.Decode(key.SHA256[:], []byte(digest[:min(len(digest), 2*sha256.Size)])); err != nil || n != sha256.Size || digest != key.Hex() {
		fail(w, http.StatusBadRequest, "An image is named by the SHA-256 of its bytes in 64 lower-case hex digits")
		return
	}
	ctx := r.Context()
	facts, body, err := h.lookup(ctx, key.SHA256)
	if err == nil && !servableTypes[facts.ContentType] {
		err = fmt.Errorf("image %s is said to be of type %q", key, facts.ContentType)
	}
	if err != nil {
		h.answerError(ctx, w, key, err)
		return
	}
	content, err := h.open(ctx, key, facts, body)
	if err != nil {
		h.answerError(ctx, w, key, err)
		return
	}
	defer content.Close() //nolint:errcheck // it was only read

	header := w.Header()
	setCommonHeader(header)
	header.Set("Cache-Control", immutable)
	header.Set("Content-Disposition", "inline")
	header.Set("Content-Security-Policy", contentSecurityPolicy)
	header.Set("Content-Type", facts.ContentType)
	if thumb {
		header.Set("Content-Type", ThumbnailType(facts))
	}
	header.Set("ETag", `"`+key.String()+`"`)
	http.ServeContent(w, r, "", time.Time{}, content)
}

// open opens an image from the store, or regenerates it if the store does not have it.
func (h *handler) open(ctx context.Context, key Key, facts fetch.ImageFacts, body func(context.Context) ([]byte, error)) (io.ReadSeekCloser, error) {
	content, err := h.openStored(ctx, key)
	if err == nil {
		return content, nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	level := slog.LevelWarn
	if errors.Is(err, ErrNotFound) {
		level = slog.LevelInfo
	}
	h.logger.LogAttrs(ctx, level, "regenerating an image that the store does not have",
		slog.String("image", key.String()), slog.Any("error", err))

	// All requests that wait for the same image share one regeneration. It goes on when the first of them leaves.
	results := h.regenerating.DoChan(key.String(), func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), regenerateTimeout)
		defer cancel()
		return h.regenerate(ctx, key, facts, body)
	})
	select {
	case result := <-results:
		body, _ := result.Val.([]byte)
		return contentInMemory{bytes.NewReader(body)}, result.Err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// storedContent is content from the store, which is read in a context of its own.
type storedContent struct {
	io.ReadSeekCloser
	cancel context.CancelFunc
}

func (c storedContent) Close() error {
	defer c.cancel()
	return c.ReadSeekCloser.Close()
}

// openStored opens an image from the store. storeTimeout bounds only the time to find it, because reading may take as
// long as the viewer's connection does.
func (h *handler) openStored(ctx context.Context, key Key) (io.ReadSeekCloser, error) {
	ctx, cancel := context.WithCancel(ctx)
	timer := time.AfterFunc(storeTimeout, cancel)
	content, _, err := h.store.Open(ctx, key)
	late := !timer.Stop()
	if err == nil && !late {
		return storedContent{content, cancel}, nil
	}
	cancel()
	if err == nil {
		_ = content.Close()
	}
	if late {
		err = fmt.Errorf("the store did not find image %s within %v: %w", key, storeTimeout, context.DeadlineExceeded)
	}
	return nil, err
}

// contentInMemory is content in memory, which need not be closed.
type contentInMemory struct{ io.ReadSeeker }

func (contentInMemory) Close() error { return nil }

// regenerate produces an image or thumbnail from the image's bytes in the log, and puts it into the store.
func (h *handler) regenerate(ctx context.Context, key Key, facts fetch.ImageFacts, body func(context.Context) ([]byte, error)) ([]byte, error) {
	content, err := body(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the bytes of image %s: %w", key, err)
	}
	if err := (Key{SHA256: key.SHA256}).checkBody(content); err != nil {
		return nil, err
	}
	if key.Thumb {
		if content, err = thumbnail(ctx, content, facts); err != nil {
			return nil, fmt.Errorf("make the thumbnail of image %s: %w", key, err)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	if err := h.store.Put(ctx, key, content); err != nil {
		h.logger.LogAttrs(ctx, slog.LevelWarn, "storing a regenerated image failed; it will be regenerated again",
			slog.String("image", key.String()), slog.Any("error", err))
	}
	return content, nil
}

// answerError answers a request that failed because of lookup or of the bytes in the log.
func (h *handler) answerError(ctx context.Context, w http.ResponseWriter, key Key, err error) {
	switch {
	case ctx.Err() != nil: // the client has left
	case errors.Is(err, ErrNotFound):
		notFound(w)
	default:
		h.logger.LogAttrs(ctx, slog.LevelError, "serving an image failed", slog.String("image", key.String()), slog.Any("error", err))
		fail(w, http.StatusServiceUnavailable, "The image can't be read now")
	}
}

func notFound(w http.ResponseWriter) { fail(w, http.StatusNotFound, "Image not found") }

func fail(w http.ResponseWriter, status int, message string) {
	body, _ := json.Marshal(struct {
		Error string `json:"error"`
	}{message}) // a string can always be encoded
	setCommonHeader(w.Header())
	w.Header().Set("Cache-Control", "no-cache") // the image may be there later
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // fails only if the client has left
}

// setCommonHeader sets the header fields of every answer. Any page may show the images and see how large they are.
func setCommonHeader(header http.Header) {
	header.Set("Access-Control-Allow-Origin", "*")
	header.Set("Access-Control-Expose-Headers", strings.Join([]string{"Accept-Ranges", "Content-Range", "ETag"}, ", "))
	header.Set("Cross-Origin-Resource-Policy", "cross-origin")
	header.Set("X-Content-Type-Options", "nosniff")
}
