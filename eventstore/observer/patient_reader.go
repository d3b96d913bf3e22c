package observer

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// patientReader reads a body from a sender that may be slow, but not silent: every read gets a deadline of its own,
// within one for the whole. It remembers how reading failed, to tell the sender's faults from ours.
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

// Read never returns more than the sender sent, and waits no longer than the deadlines.
func (p *patientReader) Read(b []byte) (int, error) {
	deadline := time.Now().Add(p.stall)
	if deadline.After(p.end) {
		deadline = p.end
	}
	// A ResponseWriter without deadlines (a recorder in a test, some middleware) has a server with its own.
	_ = p.control.SetReadDeadline(deadline)
	n, err := p.body.Read(b)
	p.read += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		p.failure = err
	}
	return n, err
}

// done takes the deadline back, which would otherwise run out while the event is being stored.
func (p *patientReader) done() { _ = p.control.SetReadDeadline(time.Time{}) }
