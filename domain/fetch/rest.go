package fetch

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Rest says that a contract has caused so much to be fetched in a day (UTC) that nothing more is fetched for it until the
// next one begins. The limits are settings, and may change; so the decision is an event, and rows depend on it alone.
type Rest struct {
	Contract  string    `json:"contract"`
	DecidedAt time.Time `json:"decided_at"`
	Until     time.Time `json:"until"`
	// Fetches and Bytes count the reports of the day and the bytes of their events, when the decision was taken.
	Fetches int64 `json:"fetches"`
	Bytes   int64 `json:"bytes"`
	// FetchesMost and BytesMost are the limits at that time.
	FetchesMost int64 `json:"fetches_most"`
	BytesMost   int64 `json:"bytes_most"`
}

// Encode returns the body of the event.
func (r *Rest) Encode() ([]byte, error) { return encode(r) }

// DecodeRest decodes the body of an event.
func DecodeRest(b []byte) (*Rest, error) { return decode("rest", b, new(Rest)) }

func (r *Rest) validate() error {
	switch {
	case r.Contract == "":
		return errors.New("rest: /contract is missing")
	case !r.Until.After(r.DecidedAt):
		return fmt.Errorf("rest: /until: want a time after %s, got %s", r.DecidedAt, r.Until)
	}
	return nil
}

// event is the body of an event.
type event interface{ validate() error }

func encode(e event) ([]byte, error) {
	if err := e.validate(); err != nil {
		return nil, err
	}
	return json.Marshal(e)
}

// decode decodes the body of an event into one that is new.
func decode[E event](name string, b []byte, into E) (E, error) {
	if err := json.Unmarshal(b, into); err != nil {
		var none E
		return none, fmt.Errorf("%s: %w", name, err)
	}
	return into, into.validate()
}
