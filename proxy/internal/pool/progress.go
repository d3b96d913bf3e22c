package pool

import "time"

// progress remembers when the pool's tip reached which height, to tell how long a node has been behind.
type progress struct {
	steps []step // their heights rise
}

type step struct {
	height int64
	at     time.Time
}

// progressMax is how many steps are remembered.
const progressMax = 128

// reach notes the height of the pool's tip.
func (p *progress) reach(height int64, now time.Time) {
	if height < 0 {
		return
	}
	for n := len(p.steps); n > 0 && p.steps[n-1].height > height; n = len(p.steps) {
		p.steps = p.steps[:n-1] // a reorganisation, or somebody had lied
	}
	if n := len(p.steps); n > 0 && p.steps[n-1].height == height {
		return
	}
	if len(p.steps) == progressMax {
		p.steps = append(p.steps[:0], p.steps[1:]...)
	}
	p.steps = append(p.steps, step{height, now})
}

// behindFor is how long the pool's tip has been above height. Nobody knows if it was when the pool began to look, or if
// it got there in a leap of more blocks than leap: then it was the pool that learnt something, not the chain that grew.
func (p *progress) behindFor(height, leap int64, now time.Time) (d time.Duration, known bool) {
	for i, s := range p.steps {
		if s.height > height {
			return now.Sub(s.at), i > 0 && s.height-p.steps[i-1].height <= leap
		}
	}
	return 0, true
}
