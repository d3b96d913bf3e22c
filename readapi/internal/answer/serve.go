package answer

import "net/http"

// Moment is what is not part of an answer but of the time at which it is sent.
type Moment struct {
	// Position is the ready value of Strata-Position: one string. Nil: the answer doesn't say. It must not change.
	Position []string
	// BurnHeight is the height of the Bitcoin chain. It decides which answers have settled.
	BurnHeight int64
}

var varyByEncoding = []string{"Accept-Encoding"}

// Serve sends the answer, or 304 if the client has it already. Header fields that are set before, by others, stay.
// Errors of the connection are the client's business; a body that ends early is noticed by it, because its length was
// announced. Serve panics with http.ErrAbortHandler when the rest of a body can't be had. It returns the status that the
// client got.
func (a *Answer) Serve(w http.ResponseWriter, r *http.Request, now Moment) (status int) {
	header := w.Header()
	c, part := identity, a.isInParts(r)
	if a.offered != 0 {
		if !part {
			c = preferencesOf(r.Header["Accept-Encoding"]).choose(a.offered)
		}
		vary(header)
	}
	if value := a.cacheControl(now.BurnHeight); value != nil {
		header["Cache-Control"] = value
	}
	if now.Position != nil {
		header[positionField] = now.Position
	}
	if etag := &a.etags[c]; etag.isSet() {
		header["Etag"] = etag[:]
	}
	if a.isKnown(r) {
		a.setFields(header, a.repeated)
		w.WriteHeader(http.StatusNotModified)
		return http.StatusNotModified
	}
	a.setFields(header, len(a.fields))
	if a.contentType.isSet() {
		header["Content-Type"] = a.contentType[:]
	}
	if part {
		return a.serveParts(w, r)
	}
	f := a.form(c)
	if c != identity {
		header["Content-Encoding"] = contentEncodings[c]
	}
	if f.length.isSet() {
		header["Content-Length"] = f.length[:]
	}
	w.WriteHeader(a.status)
	if r.Method == http.MethodHead || !hasBody(a.status) {
		return a.status
	}
	if a.rest != nil {
		a.stream(w, r)
		return a.status
	}
	_, _ = w.Write(f.body)
	return a.status
}

// isKnown says if the client has the answer already (RFC 9110 section 13.1.2).
func (a *Answer) isKnown(r *http.Request) bool {
	known := r.Header["If-None-Match"]
	return len(known) > 0 && a.status == http.StatusOK && (r.Method == http.MethodGet || r.Method == http.MethodHead) &&
		names(known, a.etags[identity][0])
}

func (a *Answer) setFields(header http.Header, n int) {
	for i := range a.fields[:n] {
		header[a.fields[i].Name] = a.fields[i].Values
	}
}

// vary says that the encoding was chosen. What others put into Vary stays.
func vary(header http.Header) {
	if others := header["Vary"]; len(others) > 0 {
		header["Vary"] = append(others[:len(others):len(others)], varyByEncoding...)
		return
	}
	header["Vary"] = varyByEncoding
}
