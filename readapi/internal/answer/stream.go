package answer

import (
	"io"
	"net/http"
	"time"
)

// stream sends a body that continues with a stream.
func (a *Answer) stream(w http.ResponseWriter, r *http.Request) {
	patient := &patientWriter{w, http.NewResponseController(w)}
	if _, err := patient.Write(a.Body()); err != nil {
		return
	}
	if err := a.rest(r.Context(), patient); err != nil {
		panic(http.ErrAbortHandler)
	}
}

const (
	// writePatience is how long a client may take for one piece of a streamed body.
	writePatience = time.Minute
	// pieceMax is the size of the largest such piece, in bytes.
	pieceMax = 64 << 10
)

// patientWriter gives each piece its own deadline: a large body may take long, a client that does not read may not.
type patientWriter struct {
	w          io.Writer
	controller *http.ResponseController
}

func (p *patientWriter) Write(b []byte) (written int, err error) {
	for {
		// Not every connection has deadlines; then it is the server's settings that count.
		_ = p.controller.SetWriteDeadline(time.Now().Add(writePatience))
		n, err := p.w.Write(b[:min(len(b), pieceMax)])
		written += n
		b = b[n:]
		if err != nil || len(b) == 0 {
			return written, err
		}
	}
}
