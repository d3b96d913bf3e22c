package eventstore

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"pgregory.net/rapid"
)

// TestNotified tells a listener of notifications and of commits of its own process, while it listens and without a connection.
func TestNotified(t *testing.T) {
	t.Parallel()
	l := NewListener(nil, nil)
	changes := 0
	l.run = &listenerRun{Listener: l, changed: func() { changes++ }}
	wakes := [2]*Wake{l.Wake("a", time.Hour), l.Wake("b", 0)}
	if wakes[0].interval != time.Hour || wakes[1].interval != WakeIntervalDefault || changes != 2 {
		t.Errorf("the wakes have intervals of %v and %v, and the connection was told of %d", wakes[0].interval, wakes[1].interval, changes)
	}
	wakes[0].Ignore("mine")
	notify := func(channel, payload string) func() {
		return func() { l.run.tell(&pgconn.Notification{Channel: channel, Payload: payload}) }
	}
	commit := func(channel string, number int64) func() { return func() { l.announce(channel, number) } }
	for i, step := range []struct {
		happens   func()
		wakes     [2]bool
		announced [2]int64
	}{
		{notify("a", "5"), [2]bool{true, false}, [2]int64{5, 0}},
		{notify("a", "4"), [2]bool{true, false}, [2]int64{5, 0}}, // another one tells later
		{notify("b", "9"), [2]bool{false, true}, [2]int64{5, 9}},
		{notify("c", "9"), [2]bool{}, [2]int64{5, 9}},
		{notify("a", "mine"), [2]bool{}, [2]int64{5, 9}},
		{notify("b", "mine"), [2]bool{false, true}, [2]int64{5, 9}},
		{commit("a", 7), [2]bool{true, false}, [2]int64{7, 9}},
		{notify("a", "7"), [2]bool{}, [2]int64{7, 9}}, // of that commit
		{commit("a", 6), [2]bool{true, false}, [2]int64{7, 9}},
		{notify("a", "7"), [2]bool{}, [2]int64{7, 9}},
		{notify("a", "8"), [2]bool{true, false}, [2]int64{8, 9}},
		{func() { l.Skipped("a") }, [2]bool{}, [2]int64{8, 9}}, // its writer calls Signal
		{func() { l.Skipped("b") }, [2]bool{false, true}, [2]int64{8, 9}},
		{l.run.lost, [2]bool{}, [2]int64{}},
		{commit("a", 10), [2]bool{true, false}, [2]int64{}}, // that others commit more would not be announced
	} {
		before := [2]<-chan struct{}{wakes[0].C(), wakes[1].C()}
		step.happens()
		for j, w := range wakes {
			if woken := w.C() != before[j]; woken != step.wakes[j] || w.Announced() != step.announced[j] {
				t.Errorf("step %d: wake %d is woken: %t, and %d is announced, want %t and %d", i, j, woken, w.Announced(), step.wakes[j], step.announced[j])
			}
		}
	}
}

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
