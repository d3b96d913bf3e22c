// Package speed measures and limits how fast a follower folds.
package speed

import "time"

// window is about how far back a meter looks.
const window = 10 * time.Second

// Meter measures how many items per second are folded while there are always more.
type Meter struct {
	since   time.Time
	items   float64
	running bool
}

// Start begins a measurement.
func (m *Meter) Start() { *m = Meter{since: time.Now(), running: true} }

// Stop ends it; the rate is not known then.
func (m *Meter) Stop() { m.running = false }

// Count adds items. Each time that the window is over, the weight of what was counted before is halved.
func (m *Meter) Count(items int) {
	m.items += float64(items)
	if elapsed := time.Since(m.since); elapsed > window {
		m.items /= 2
		m.since = m.since.Add(elapsed / 2)
	}
}

// Rate returns items per second; nil while it is not known.
func (m *Meter) Rate() *float64 { return m.RateWith(0) }

// RateWith returns the rate with more items, which are not counted yet.
func (m *Meter) RateWith(more int) *float64 {
	elapsed, items := time.Since(m.since), m.items+float64(more)
	if !m.running || items == 0 || elapsed <= 0 {
		return nil
	}
	rate := items / elapsed.Seconds()
	return &rate
}
