package answer

import (
	"bytes"
	"io"
	"net/http"
	"time"
)

// isInParts says if a body is sent in parts, or may be: when it is not in memory, and when the client asks for some. An
// answer says that it can be had in parts with the field Accept-Ranges.
func (a *Answer) isInParts(r *http.Request) bool {
	if a.status != http.StatusOK || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	return a.open != nil || len(r.Header["Range"]) > 0 && a.rest == nil && a.hasRanges()
}

func (a *Answer) hasRanges() bool {
	for i := range a.fields {
		if a.fields[i].Name == "Accept-Ranges" && a.fields[i].Values[0] == "bytes" {
			return true
		}
	}
	return false
}

// serveParts sends the body as it is, or those parts that the client asks for (RFC 9110 section 14), on the conditions
// that it sets. The header is complete but for what follows from that.
func (a *Answer) serveParts(w http.ResponseWriter, r *http.Request) (status int) {
	var body io.ReadSeeker = bytes.NewReader(a.Body())
	if a.open != nil {
		opened := a.open(r.Context())
		defer opened.Close() //nolint:errcheck // it was only read
		body = opened
	}
	patient := &patientResponse{ResponseWriter: w, patient: patientWriter{w, http.NewResponseController(w)}, status: http.StatusOK}
	http.ServeContent(patient, WithFewRanges(r), "", time.Time{}, body)
	return patient.status
}

// patientResponse notes the status that is sent, and is as patient as for a stream.
type patientResponse struct {
	http.ResponseWriter
	patient patientWriter
	status  int
}

// Unwrap lets http.ResponseController reach the connection.
func (p *patientResponse) Unwrap() http.ResponseWriter { return p.ResponseWriter }

func (p *patientResponse) WriteHeader(status int) {
	p.status = status
	p.ResponseWriter.WriteHeader(status)
}

func (p *patientResponse) Write(b []byte) (int, error) { return p.patient.Write(b) }
