package jobqueue_test

import (
	"testing"
	"time"

	"strata/metadata/internal/jobqueue"
)

func TestSlotsAreAsManyAsConfigured(t *testing.T) {
	t.Parallel()
	most := map[string]int{"contract": 16, "image": 2}
	slots := jobqueue.NewSlots(most)
	for queue, want := range most {
		var ends []func()
		for range want {
			end, ok := slots.Acquire(t.Context(), queue, time.Minute)
			if !ok {
				t.Fatalf("%s: no slot after %d, want %d", queue, len(ends), want)
			}
			ends = append(ends, end)
		}
		if _, ok := slots.Acquire(t.Context(), queue, time.Millisecond); ok {
			t.Errorf("%s: got more than %d slots", queue, want)
		}
		ends[0]()
		ends[0]() // must not release a second slot
		if _, ok := slots.Acquire(t.Context(), queue, time.Minute); !ok {
			t.Errorf("%s: a released slot can't be acquired", queue)
		}
		if _, ok := slots.Acquire(t.Context(), queue, time.Millisecond); ok {
			t.Errorf("%s: one release frees two slots", queue)
		}
	}
}
