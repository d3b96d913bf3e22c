package observer

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// patientReader reads a body from a sender that may be slow, but not silent: every read has its own deadline, within a
// deadline for the whole body. It stores the error of a failed read, to tell the sender's faults from ours.
type patientReader struct {
	body    io.Reader
	control *http.ResponseController
	stall   time.Duration
	end     time.Time

	read    int64
	failure error // nil at the end of the body
}

func newPatientReader(w http.ResponseWriter, body io.Reader, stall, whole time.Duration) *patientReader {
	return &patientReader{
		body:    body,
		control: http.NewResponseController(w),
		stall:   stall,
		end:     time.Now().Add(whole),
	}
}

// Read reads from the body, for no longer than the deadlines allow.
func (p *patientReader) Read(b []byte) (int, error) {
	deadline := time.Now().Add(p.stall)
	if deadline.After(p.end) {
		deadline = p.end
	}
	// Ignore a ResponseWriter without deadlines (a recorder in a test, some middleware).
	_ = p.control.SetReadDeadline(deadline)
	n, err := p.body.Read(b)
	p.read += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		p.failure = err
	}
	return n, err
}

// done removes the deadline, which would otherwise pass while the event is being stored.
func (p *patientReader) done() { _ = p.control.SetReadDeadline(time.Time{}) }
