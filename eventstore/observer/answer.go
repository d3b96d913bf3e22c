package observer

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// answer is a response that the node's strict parser accepts: it always has a JSON body and a Content-Length.
type answer struct {
	code       int
	body       []byte
	allow      string // Allow
	retryAfter string // Retry-After, seconds
	closing    bool   // Connection: close
	label      string // of the path in metrics; empty for that of the request
}

// stored is the answer to an event that is durable.
var stored = answer{code: http.StatusOK, body: []byte(`{"result":"ok"}`)}

// refuse returns an error answer with a reason.
func refuse(code int, reason string) answer {
	body, err := json.Marshal(struct {
		Result string `json:"result"`
		Error  string `json:"error"`
	}{"error", reason})
	if err != nil { // two strings
		body = []byte(`{"result":"error"}`)
	}
	return answer{code: code, body: body}
}

// unavailable returns an answer that asks the sender to send the event again.
func unavailable(reason string) answer {
	a := refuse(http.StatusServiceUnavailable, reason)
	a.retryAfter = "1"
	return a
}

func (a answer) statusText() string { return strconv.Itoa(a.code) }

// writeTimeout bounds the writing of an answer, which fits the buffer of any socket.
const writeTimeout = 10 * time.Second

func (a answer) write(w http.ResponseWriter, r *http.Request) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout))
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(a.body)))
	for name, value := range map[string]string{
		"Allow":       a.allow,
		"Retry-After": a.retryAfter,
	} {
		if value != "" {
			h.Set(name, value)
		}
	}
	if a.closing {
		h.Set("Connection", "close")
	}
	w.WriteHeader(a.code)
	if r.Method != http.MethodHead {
		_, _ = w.Write(a.body) // the sender may be gone; a stored event stays stored
	}
}
