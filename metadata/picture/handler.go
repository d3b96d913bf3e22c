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

// Lookup finds what is known of an image. body reads its bytes from where they can't get lost; it is called only when
// the store has lost them. The error wraps ErrNotFound when the image is unknown.
type Lookup func(ctx context.Context, digest [sha256.Size]byte) (facts fetch.ImageFacts, body func(ctx context.Context) ([]byte, error), err error)

const (
	// remakeTimeout bounds how long it takes to make again what the store has lost.
	remakeTimeout = time.Minute
	// storePatience is how long a viewer waits for the store to find an image, and again for it to take one, before
	// the image is served without it.
	storePatience = 5 * time.Second
)

// contentSecurityPolicy is for an SVG that is opened by itself: it draws, and nothing else.
const contentSecurityPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

// servable are the types that are answered; any other would be a page of a stranger under our name.
var servable = map[string]bool{typePNG: true, typeJPEG: true, typeGIF: true, typeWebP: true, typeSVG: true}

// Handler serves GET and HEAD of
//
//	/images/{sha256}         the image, byte for byte
//	/images/{sha256}/thumb   its thumbnail
//
// with ranges and conditions (RFC 9110). What the store has lost is made again from the bytes that lookup gives, and put
// back; it is served even when the store can't take it. Failures of the store and of lookup are logged; with a nil logger
// they are not.
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
	store  Store
	lookup Lookup
	logger *slog.Logger
	// remaking is by key.
	remaking singleflight.Group
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
	if err == nil && !servable[facts.ContentType] {
		err = fmt.Errorf("image %s is said to be of type %q", key, facts.ContentType)
	}
	if err != nil {
		h.failed(ctx, w, key, err)
		return
	}
	content, err := h.open(ctx, key, facts, body)
	if err != nil {
		h.failed(ctx, w, key, err)
		return
	}
	defer content.Close() //nolint:errcheck // it was only read

	header := w.Header()
	setCommonHeader(header)
	header.Set("Cache-Control", forever)
	header.Set("Content-Disposition", "inline")
	header.Set("Content-Security-Policy", contentSecurityPolicy)
	header.Set("Content-Type", facts.ContentType)
	if thumb {
		header.Set("Content-Type", ThumbnailType(facts))
	}
	header.Set("ETag", `"`+key.String()+`"`)
	http.ServeContent(w, r, "", time.Time{}, content)
}

// open reads from the store, or makes again what it has lost.
func (h *handler) open(ctx context.Context, key Key, facts fetch.ImageFacts, body func(context.Context) ([]byte, error)) (io.ReadSeekCloser, error) {
	content, err := h.stored(ctx, key)
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
	h.logger.LogAttrs(ctx, level, "an image is made again, because the store does not have it",
		slog.String("image", key.String()), slog.Any("error", err))

	// One at a time, on behalf of all who wait for it: it goes on when the first of them has left.
	made := h.remaking.DoChan(key.String(), func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), remakeTimeout)
		defer cancel()
		return h.remake(ctx, key, facts, body)
	})
	select {
	case result := <-made:
		remade, _ := result.Val.([]byte)
		return unclosed{bytes.NewReader(remade)}, result.Err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// storedContent is read in a context of its own.
type storedContent struct {
	io.ReadSeekCloser
	cancel context.CancelFunc
}

func (c storedContent) Close() error {
	defer c.cancel()
	return c.ReadSeekCloser.Close()
}

// stored opens what the store has. Only finding it is limited in time: reading takes as long as the viewer's line does.
func (h *handler) stored(ctx context.Context, key Key) (io.ReadSeekCloser, error) {
	ctx, cancel := context.WithCancel(ctx)
	timer := time.AfterFunc(storePatience, cancel)
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
		err = fmt.Errorf("the store did not find image %s within %v: %w", key, storePatience, context.DeadlineExceeded)
	}
	return nil, err
}

// unclosed is content in memory.
type unclosed struct{ io.ReadSeeker }

func (unclosed) Close() error { return nil }

func (h *handler) remake(ctx context.Context, key Key, facts fetch.ImageFacts, body func(context.Context) ([]byte, error)) ([]byte, error) {
	made, err := body(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the bytes of image %s: %w", key, err)
	}
	if err := (Key{SHA256: key.SHA256}).fits(made); err != nil {
		return nil, err
	}
	if key.Thumb {
		if made, err = thumbnail(ctx, made, facts); err != nil {
			return nil, fmt.Errorf("make the thumbnail of image %s: %w", key, err)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, storePatience)
	defer cancel()
	if err := h.store.Put(ctx, key, made); err != nil {
		h.logger.LogAttrs(ctx, slog.LevelWarn, "the store did not take an image; it will be made again",
			slog.String("image", key.String()), slog.Any("error", err))
	}
	return made, nil
}

// failed answers an error of lookup, or of what it gave.
func (h *handler) failed(ctx context.Context, w http.ResponseWriter, key Key, err error) {
	switch {
	case ctx.Err() != nil: // nobody waits
	case errors.Is(err, ErrNotFound):
		notFound(w)
	default:
		h.logger.LogAttrs(ctx, slog.LevelError, "an image could not be served", slog.String("image", key.String()), slog.Any("error", err))
		fail(w, http.StatusServiceUnavailable, "The image can't be read now")
	}
}

func notFound(w http.ResponseWriter) { fail(w, http.StatusNotFound, "Image not found") }

func fail(w http.ResponseWriter, status int, message string) {
	body, _ := json.Marshal(struct {
		Error string `json:"error"`
	}{message}) // a string always can
	setCommonHeader(w.Header())
	w.Header().Set("Cache-Control", "no-cache") // it may be there tomorrow
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // whoever has left does not read it
}

// setCommonHeader is for every answer. Any page may show the images, and see how large they are.
func setCommonHeader(header http.Header) {
	header.Set("Access-Control-Allow-Origin", "*")
	header.Set("Access-Control-Expose-Headers", strings.Join([]string{"Accept-Ranges", "Content-Range", "ETag"}, ", "))
	header.Set("Cross-Origin-Resource-Policy", "cross-origin")
	header.Set("X-Content-Type-Options", "nosniff")
}
