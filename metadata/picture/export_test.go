package picture

import "testing"

// HoldMemory acquires all the memory for decoding until release is called. No decode may be in progress.
func HoldMemory(t testing.TB) (release func()) {
	t.Helper()
	if !decodeMemory.TryAcquire(memoryMax) {
		t.Fatal("a decode has not released its memory")
	}
	return func() { decodeMemory.Release(memoryMax) }
}
