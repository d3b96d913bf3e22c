package picture_test

import (
	"bytes"
	"context"
	"errors"
	"image/png"
	"io"
	"sync"
	"testing"

	"strata/domain/fetch"
	"strata/internal/testkit/must"
	"strata/metadata/picture"
)

// memoryStore is a Store in memory that can be made to fail.
type memoryStore struct {
	mu      sync.Mutex
	bodies  map[picture.Key][]byte
	failure error // returned by every call, unless it is nil
}

type memoryContent struct{ io.ReadSeeker }

func (memoryContent) Close() error { return nil }

func (s *memoryStore) Put(_ context.Context, key picture.Key, body []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure != nil {
		return s.failure
	}
	if s.bodies == nil {
		s.bodies = map[picture.Key][]byte{}
	}
	s.bodies[key] = bytes.Clone(body)
	return nil
}

func (s *memoryStore) Open(_ context.Context, key picture.Key) (io.ReadSeekCloser, int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure != nil {
		return nil, 0, s.failure
	}
	body, ok := s.bodies[key]
	if !ok {
		return nil, 0, picture.ErrNotFound
	}
	return memoryContent{bytes.NewReader(body)}, int64(len(body)), nil
}

func TestKeep(t *testing.T) {
	store := openStore(t, "dir")
	for name, body := range map[string][]byte{"png": pngOf(t, gradient(400, 100)), "svg": svgOf("<g/>")} {
		facts := must.Get(picture.Keep(t.Context(), store, body))(t)
		inspected, err := picture.Inspect(body)
		if err != nil || facts != inspected {
			t.Errorf("%s: got %+v, Inspect gives %+v, %v", name, facts, inspected, err)
		}
		key := keyOf(body)
		if got := read(t, store, key); !bytes.Equal(got, body) {
			t.Errorf("%s: the store has other bytes", name)
		}
		key.Thumb = true
		small := read(t, store, key)
		if want, err := picture.Thumbnail(body, facts); err != nil || !bytes.Equal(small, want) {
			t.Errorf("%s: the store has another thumbnail, %v", name, err)
		}
		if name == "png" {
			if c, err := png.DecodeConfig(bytes.NewReader(small)); err != nil || c.Width != 300 || c.Height != 75 {
				t.Errorf("thumbnail: got %d×%d, %v", c.Width, c.Height, err)
			}
		}
	}
}

func TestKeepRefuses(t *testing.T) {
	store := &memoryStore{}
	facts, err := picture.Keep(t.Context(), store, []byte("<html/>"))
	if !errors.Is(err, picture.ErrRefused) || facts != (fetch.ImageFacts{}) || len(store.bodies) > 0 {
		t.Errorf("got %+v, %v; kept %d", facts, err, len(store.bodies))
	}
}

// Keep returns the facts even if the store fails.
func TestKeepStoreFails(t *testing.T) {
	full := errors.New("the disk is full")
	facts, err := picture.Keep(t.Context(), &memoryStore{failure: full}, pngOf(t, gradient(4, 3)))
	if !errors.Is(err, full) || errors.Is(err, picture.ErrRefused) || facts.Width != 4 || facts.ContentType != "image/png" {
		t.Errorf("got %+v, %v", facts, err)
	}
}

func TestKeepWithoutStore(t *testing.T) {
	facts, err := picture.Keep(t.Context(), nil, pngOf(t, gradient(4, 3)))
	if err != nil || facts.Height != 3 {
		t.Errorf("got %+v, %v", facts, err)
	}
}
