package picture

import (
	"context"
	"testing"

	"strata/domain/fetch"
)

// Inspect is inspect without a thumbnail.
func Inspect(body []byte) (fetch.ImageFacts, error) {
	facts, _, err := inspect(context.Background(), body, false)
	return facts, err
}

// Thumbnail is thumbnail without a context.
func Thumbnail(body []byte, facts fetch.ImageFacts) ([]byte, error) {
	return thumbnail(context.Background(), body, facts)
}

// HoldMemory acquires all the memory for decoding until release is called. No decode may be in progress.
func HoldMemory(t testing.TB) (release func()) {
	t.Helper()
	if !decodeMemory.TryAcquire(memoryMax) {
		t.Fatal("a decode has not released its memory")
	}
	return func() { decodeMemory.Release(memoryMax) }
}
