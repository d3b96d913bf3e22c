package pool

import "time"

// progress records when the pool's tip reached which height, to tell how long a node has been behind.
type progress struct {
	steps []step // in ascending order of height
}

type step struct {
	height int64
	at     time.Time
}

// progressMax is the number of steps that progress remembers.
const progressMax = 128

// reach records the height of the pool's tip.
func (p *progress) reach(height int64, now time.Time) {
	if height < 0 {
		return
	}
	for n := len(p.steps); n > 0 && p.steps[n-1].height > height; n = len(p.steps) {
		p.steps = p.steps[:n-1] // after a reorganisation, or a false height
	}
	if n := len(p.steps); n > 0 && p.steps[n-1].height == height {
		return
	}
	if len(p.steps) == progressMax {
		p.steps = append(p.steps[:0], p.steps[1:]...)
	}
	p.steps = append(p.steps, step{height, now})
}

// behindFor returns how long the pool's tip has been above height. That is unknown if it already was at the first
// remembered step, or if it got there in a single step of more than leap blocks: then the pool learnt something, and
// the chain did not grow.
func (p *progress) behindFor(height, leap int64, now time.Time) (d time.Duration, known bool) {
	for i, s := range p.steps {
		if s.height > height {
			return now.Sub(s.at), i > 0 && s.height-p.steps[i-1].height <= leap
		}
	}
	return 0, true
}
