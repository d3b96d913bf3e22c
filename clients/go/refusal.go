package strata

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// bodyMax bounds the part of a refusal that is read, in bytes.
const bodyMax = 1 << 20

// Refusal is an answer with a status of 300 or more, as an error.
type Refusal struct {
	Status     int
	Message    string        // what the server says about it
	RetryAfter time.Duration // after which a retry may succeed; 0 when the server names none
}

// Error implements error.
func (r *Refusal) Error() string {
	return fmt.Sprintf("the server answered %d: %s", r.Status, r.Message)
}

// refused returns the answer as a Refusal, and closes it; nil if it is none.
func refused(answer *http.Response) error {
	if answer.StatusCode < 300 {
		return nil
	}
	defer func() { _ = answer.Body.Close() }()
	text, _ := io.ReadAll(io.LimitReader(answer.Body, bodyMax))
	r := &Refusal{Status: answer.StatusCode, Message: string(text)}
	var body struct{ Message, Error, Reason string }
	if json.Unmarshal(text, &body) == nil {
		for _, said := range []string{body.Reason, body.Error, body.Message} {
			if said != "" {
				r.Message = said
			}
		}
	}
	if seconds, err := strconv.Atoi(answer.Header.Get("Retry-After")); err == nil {
		r.RetryAfter = time.Duration(seconds) * time.Second
	}
	return r
}
