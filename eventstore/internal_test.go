package eventstore

import (
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// TestSimulatedRecent adds events of any sizes, with gaps. What is kept is the newest run without a gap, as long as fits, and a reader
// of what is being appended waits for it, but not for long.
func TestSimulatedRecent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { rapid.SyncTest(t, simulateRecent) })
}

func simulateRecent(t *rapid.T) {
	r, next := recent{}, int64(1)
	var all []Event // since the last gap
	for range rapid.IntRange(1, 15).Draw(t, "appends") {
		if rapid.IntRange(0, 9).Draw(t, "gap") == 0 {
			next, all = next+rapid.Int64Range(1, 3).Draw(t, "events of others"), nil
		}
		var batch []Event
		for range rapid.IntRange(1, 30).Draw(t, "events") {
			batch = append(batch, Event{Seq: next, Size: rapid.SampledFrom([]int64{0, 1, recentBytes / 4, recentBytes/4 + 1, recentBytes, recentBytes + 1}).Draw(t, "size")})
			next++
		}
		all = append(all, batch...)
		kept := int64(0)
		for bytes := int64(0); kept < min(int64(len(all)), recentEvents); kept++ {
			if bytes += all[int64(len(all))-1-kept].Size; bytes > recentBytes {
				break
			}
		}
		takes := time.Duration(rapid.IntRange(0, 2).Draw(t, "takes")) * recentWait * 2 / 3
		end := r.begin()
		go func() {
			time.Sleep(takes)
			r.add(batch)
			end()
		}()
		began := time.Now()
		found := r.after(batch[0].Seq - 1)
		if waited := time.Since(began); waited != min(takes, recentWait) || takes < recentWait && kept >= int64(len(batch)) && len(found) != len(batch) {
			t.Fatalf("a reader waits %v for an append of %v, and gets %d events of %d", waited, takes, len(found), len(batch))
		}
		time.Sleep(takes)
		synctest.Wait()
		for after := next - int64(len(all)) - 3; after <= next+1; after++ {
			want := max(0, next-1-after)
			if want > kept {
				want = 0
			}
			if got := r.after(after); int64(len(got)) != want || want > 0 && got[0].Seq != after+1 {
				t.Fatalf("after %d: got %d events of %d up to %d, want %d", after, len(got), kept, next-1, want)
			}
		}
	}
}
