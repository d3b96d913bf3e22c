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

// writePatience is how long a client may take for one piece of a streamed body.
const writePatience = time.Minute

// patientWriter gives each piece its own deadline: a large body may take long, a client that does not read may not.
type patientWriter struct {
	w          io.Writer
	controller *http.ResponseController
}

func (p *patientWriter) Write(b []byte) (int, error) {
	// Not every connection has deadlines; then it is the server's settings that count.
	_ = p.controller.SetWriteDeadline(time.Now().Add(writePatience))
	return p.w.Write(b)
}
