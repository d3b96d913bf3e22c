package answer

import (
	"bytes"
	"io"
	"net/http"
	"strings"
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

// rangesMax is the maximum number of ranges in a request. Whoever asks for more gets the whole body.
const rangesMax = 4

// serveParts sends the body as it is, or those parts that the client asks for (RFC 9110 section 14), on the conditions
// that it sets. The header is complete but for what follows from that.
func (a *Answer) serveParts(w http.ResponseWriter, r *http.Request) (status int) {
	var body io.ReadSeeker = bytes.NewReader(a.Body())
	if a.open != nil {
		body = a.open(r.Context())
	}
	if lines := r.Header["Range"]; len(lines) > 0 && (len(lines) > 1 || strings.Count(lines[0], ",") >= rangesMax) {
		whole := *r // a server may ignore ranges (RFC 9110 section 14.2)
		whole.Header = r.Header.Clone()
		whole.Header.Del("Range")
		r = &whole
	}
	patient := &patientResponse{ResponseWriter: w, patient: patientWriter{w, http.NewResponseController(w)}, status: http.StatusOK}
	http.ServeContent(patient, r, "", time.Time{}, body)
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
