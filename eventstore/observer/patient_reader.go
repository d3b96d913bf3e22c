package observer

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// patientReader reads a body from a sender that may be slow, but neither silent nor endless: every read has its own
// deadline, all reads together have to keep up with a least rate, and there is a deadline for the whole body. Only the
// time that the sender takes counts. It stores the error of a failed read, to tell the sender's faults from ours.
type patientReader struct {
	body    io.Reader
	control *http.ResponseController
	stall   time.Duration
	rate    int64 // bytes per second
	end     time.Time

	waited  time.Duration // in reads
	read    int64
	failure error // nil at the end of the body
}

func newPatientReader(w http.ResponseWriter, body io.Reader, config *Config) *patientReader {
	return &patientReader{
		body:    body,
		control: http.NewResponseController(w),
		stall:   config.StallTimeout,
		rate:    config.LeastRate,
		end:     time.Now().Add(config.BodyTimeout),
	}
}

// Read reads from the body, for no longer than the deadlines allow.
func (p *patientReader) Read(b []byte) (int, error) {
	begin := time.Now()
	// Ignore a ResponseWriter without deadlines (a recorder in a test, some middleware).
	_ = p.control.SetReadDeadline(p.deadline(begin))
	n, err := p.body.Read(b)
	p.waited += time.Since(begin)
	p.read += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		p.failure = err
	}
	return n, err
}

// deadline returns the time at which a read that begins now must end.
func (p *patientReader) deadline(now time.Time) time.Time {
	// The stall timeout is also the time that a sender may be behind the least rate.
	allowed := p.stall + time.Duration(float64(p.read)/float64(p.rate)*float64(time.Second)) - p.waited
	deadline := now.Add(min(allowed, p.stall))
	if deadline.After(p.end) {
		return p.end
	}
	return deadline
}

// done removes the deadline, which would otherwise pass while the event is being stored.
func (p *patientReader) done() { _ = p.control.SetReadDeadline(time.Time{}) }
