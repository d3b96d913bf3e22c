package picture

import "testing"

// HoldMemory takes all the memory for decoding, which nobody may have, until release is called.
func HoldMemory(t testing.TB) (release func()) {
	t.Helper()
	if !memory.TryAcquire(memoryMax) {
		t.Fatal("somebody has not given memory for decoding back")
	}
	return func() { memory.Release(memoryMax) }
}
