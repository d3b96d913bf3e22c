package lean

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
)

// A script says what a handler does: pairs of bytes, each an action and its argument. Both servers must make the same of it.
type script []byte

var (
	scriptStatuses = []int{200, 204, 304, 404, 299, 503, 301, 206}
	scriptNames    = []string{"Content-Type", "Content-Encoding", "Connection", "Cache-Control", "X", "not a name", "Date", "Content-Length", "Etag"}
	scriptValues   = []string{"application/json", "gzip", "close", "a\r\nb: c", "", " padded ", "0", "4", "1000", "-1", "four", "keep-alive"}
)

// run plays the script, and returns what the handler sees of it.
func (s script) run(w http.ResponseWriter) (seen string) {
	for ; len(s) >= 2; s = s[2:] {
		argument := int(s[1])
		switch s[0] % 6 {
		case 0:
			w.WriteHeader(scriptStatuses[argument%len(scriptStatuses)])
		case 1:
			name := scriptNames[argument%len(scriptNames)]
			value := scriptValues[argument/len(scriptNames)%len(scriptValues)]
			switch {
			case name == "Date":
				value = "never"
			case name == "Content-Length" && (value == "" || value[0] < '0' || value[0] > '9'):
				value = "4" // TestLengthsThatAreWrong has lengths that are none: there, lean is better than net/http
			}
			w.Header().Set(name, value)
		case 2:
			w.Header()["Content-Type"] = nil
		case 3: // short pieces
			n, err := w.Write([]byte(strings.Repeat("<p>", argument)))
			seen += fmt.Sprint(n, err, " ")
		case 4: // long ones
			n, err := w.Write([]byte(strings.Repeat("0123456789abcdef", argument*argument/16)))
			seen += fmt.Sprint(n, err, " ")
		case 5:
			_ = http.NewResponseController(w).Flush()
		}
	}
	return seen
}

// FuzzAnswersAsNetHTTP lets both servers answer with the same handler. Clients must see the same answers, the next request on
// the connection included, and handlers the same errors.
func FuzzAnswersAsNetHTTP(f *testing.F) {
	for _, seed := range []string{
		"", "\x03\x02", "\x00\x01\x03\x05", "\x00\x02\x03\x05", "\x04\xff", "\x04\xff\x05\x00\x03\x01", "\x05\x00\x03\x09", "\x02\x00\x03\x05",
		"\x01\x00\x03\x05", "\x01\x09\x03\x05", "\x01\x14\x03\x05", "\x01\x1f\x01\x20\x00\x03", "\x01\x46\x03\x01\x03\x09", "\x01\x4f\x03\x01\x04\xf0\x04\xff",
		"\x01\x58\x03\x01", "\x01\x06\x03\x01", "\x00\x07\x04\x40\x05\x00\x04\x40", "\x00\x02\x01\x00\x03\x01", "\x03\xff\x03\xff\x03\xff\x03\xff",
	} {
		for method := range byte(3) {
			f.Add([]byte(seed), method)
		}
	}
	var current atomic.Pointer[script]
	seen := make(chan string, 1)
	s := startServer(f, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RawQuery == "again" {
			return
		}
		text := "it panicked"
		defer func() { seen <- text }()
		text = current.Load().run(w)
	}, nil)
	f.Fuzz(func(t *testing.T, text []byte, which byte) {
		play := script(text[:min(len(text), 40)])
		current.Store(&play)
		method := []string{"GET", "HEAD", "POST"}[which%3]
		var answers [2]string
		for i, path := range []string{"/plain/", "/others/"} {
			c := s.dial(t)
			c.send(t, "%s %s HTTP/1.1\r\nHost: here\r\n\r\n", method, path)
			answers[i] = c.describeAnswer(method)
			answers[i] += "\nthe handler saw " + <-seen
			if !strings.Contains(answers[i], "Connection") && !strings.Contains(answers[i], "EOF") {
				c.send(t, "GET %s?again HTTP/1.1\r\nHost: here\r\n\r\n", path)
				answers[i] += "\n" + c.describeAnswer("GET")
			}
			_ = c.Close()
		}
		if answers[0] != answers[1] {
			t.Errorf("%s, script %q:\nlean:\n%s\nnet/http:\n%s", method, play, answers[0], answers[1])
		}
	})
}
