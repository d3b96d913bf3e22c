package simulation

import (
	"testing"
	"time"
)

// What is left of a history is what makes it go wrong.
func TestShrink(t *testing.T) {
	t.Parallel()
	tries := 0
	cut := Shrink(80, time.Minute, func(c Cut) bool {
		tries++
		return !c.Calm.Crashes && (c.Posts == 0 || c.Posts > 17) && !c.Without[3] && !c.Without[16]
	})
	kept := 0
	for i := range cut.Posts {
		if !cut.Without[i] {
			kept++
		}
	}
	if want := (Calm{Seconds: true, Cuts: true, Freezes: true}); cut.Calm != want || cut.Posts != 18 || kept > 3 {
		t.Errorf("got %+v with %d events left, want %+v, 18 events, and 2 or 3 of them left", cut, kept, want)
	}
	if tries > 120 {
		t.Errorf("it took %d tries", tries)
	}
}

// Nothing that goes wrong again is left when the time is over.
func TestShrinkInTime(t *testing.T) {
	t.Parallel()
	if cut := Shrink(80, -time.Second, func(Cut) bool { t.Error("it tries"); return true }); cut.Calm != (Calm{}) || cut.Without != nil {
		t.Errorf("got %+v", cut)
	}
}
