package follow

import "time"

// meterWindow is about how far back a meter looks.
const meterWindow = 10 * time.Second

// meter measures how many items per second are folded while there are always more.
type meter struct {
	since   time.Time
	items   float64
	running bool
}

func (m *meter) start() { *m = meter{since: time.Now(), running: true} }

func (m *meter) stop() { m.running = false }

// count adds items. Each time that the window is over, the weight of what was counted before is halved.
func (m *meter) count(items int) {
	m.items += float64(items)
	if elapsed := time.Since(m.since); elapsed > meterWindow {
		m.items /= 2
		m.since = m.since.Add(elapsed / 2)
	}
}

// rate returns items per second; nil while it is not known.
func (m *meter) rate() *float64 {
	elapsed := time.Since(m.since)
	if !m.running || m.items == 0 || elapsed <= 0 {
		return nil
	}
	rate := m.items / elapsed.Seconds()
	return &rate
}
