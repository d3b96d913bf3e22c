package simulation

import (
	"io"
	"maps"
	"slices"
	"time"

	"strata/eventstore/archive"
	"strata/rig/replay"
)

// Cut says what of a history is left out, to find the smallest that still goes wrong.
type Cut struct {
	Posts   int          // how many events of the chain's node are made; 0 for all that the seed says
	Without map[int]bool // indexes of events that are not sent; the model then does not hold
	Calm    Calm         // kinds of faults that do not happen
	Fault   *Fault       // if set, the only one
}

// Fault is one request to the database that is lost, or whose answer is.
type Fault struct {
	Request int // its number, from 1
	Answer  bool
}

// Calm names kinds of faults that do not happen.
type Calm struct{ Crashes, Seconds, Cuts, Freezes bool }

// Shrink returns the smallest cut that it finds within a time with which a history still goes wrong. fails runs the history.
func Shrink(posts int, limit time.Duration, fails func(Cut) bool) Cut {
	end := time.Now().Add(limit)
	best := Cut{}
	try := func(c Cut) bool {
		if time.Now().After(end) || !fails(c) {
			return false
		}
		best = c
		return true
	}
	for _, calm := range []func(*Calm){
		func(c *Calm) { c.Crashes, c.Seconds, c.Cuts, c.Freezes = true, true, true, true },
		func(c *Calm) { c.Crashes = true }, func(c *Calm) { c.Seconds = true }, func(c *Calm) { c.Cuts = true }, func(c *Calm) { c.Freezes = true },
	} {
		c := best
		calm(&c.Calm)
		if c.Calm != best.Calm {
			try(c)
		}
	}
	// Fewer events, by halves.
	for low, high := 1, posts; low < high; {
		c := best
		c.Posts = (low + high) / 2
		if try(c) {
			high = c.Posts
		} else {
			low = c.Posts + 1
		}
	}
	// Events in between, in ever smaller pieces.
	if best.Posts > 0 {
		posts = best.Posts
	}
	for size := posts / 2; size > 0; size /= 2 {
		for first := 0; first < posts; first += size {
			c := best
			c.Without = maps.Clone(best.Without)
			if c.Without == nil {
				c.Without = map[int]bool{}
			}
			for i := first; i < min(first+size, posts); i++ {
				c.Without[i] = true
			}
			if len(c.Without) > len(best.Without) && len(c.Without) < posts {
				try(c)
			}
		}
	}
	return best
}

// left returns the events that a cut leaves.
func (c Cut) left(posts []replay.Post) (left []replay.Post) {
	for i, post := range posts {
		if !c.Without[i] {
			left = append(left, post)
		}
	}
	return left
}

// WriteArchive writes the events of a history as a file that strata import reads, those of each sender in order.
func (h *History) WriteArchive(w io.Writer) error {
	out := archive.NewWriter(w, archive.Copy)
	at, id := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), int64(0)
	for _, sender := range h.Senders {
		for _, post := range slices.Clone(sender.Posts) {
			id++
			if err := out.Write(archive.Record{ID: id, HasID: true, ReceivedAt: at.Add(time.Duration(id) * time.Second), Path: post.Path, Payload: post.Body}); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}
