package fetch

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"strata/domain/hash"
)

// Report is what came of one attempt to get what is wanted: every request, and the bytes of every response.
type Report struct {
	Want Want
	// Attempt counts from 1, and begins anew when the want does.
	Attempt int
	// Tip is the block at which the node was asked; nil for what is not of the chain.
	Tip        *Tip
	StartedAt  time.Time
	FinishedAt time.Time
	Exchanges  []Exchange
	// Image says what the last response of an Image shows; nil unless it could be decoded.
	Image *ImageFacts
}

// ImageFacts are what was found in the bytes of an image.
type ImageFacts struct {
	// SHA256 of the bytes, in hex.
	SHA256 string `json:"sha256"`
	// ContentType is what the bytes are, whatever the server called them: image/png, image/jpeg, image/gif, image/webp,
	// image/svg+xml.
	ContentType string `json:"content_type"`
	// Width and Height in pixels; 0 where the image has no size of its own.
	Width  int `json:"width,omitempty"`
	Height int `json:"height,omitempty"`
}

// Tip is a block of the canonical chain.
type Tip struct {
	Height         int64       `json:"height"`
	IndexBlockHash hash.Hash32 `json:"index_block_hash"`
}

// Exchange is a request and its response, or why there is none.
type Exchange struct {
	// Call is the index in the want's calls that the request is for.
	Call   int    `json:"call,omitempty"`
	Method string `json:"method"`
	// URL that was asked, without credentials.
	URL string `json:"url"`
	// Gateway is the base URL through which a URI of another scheme was reached; for a contract, the node's. Empty when
	// the URI was asked as it is.
	Gateway string `json:"gateway,omitempty"`
	// Request is the body that was sent.
	Request string `json:"request,omitempty"`
	// Status of the response; 0 when there was none.
	Status int `json:"status,omitempty"`
	// Header has those of the response that say something about the body or about when to ask again, by lower-case name.
	Header map[string]string `json:"header,omitempty"`
	// Body of the response, byte for byte.
	Body Body `json:"-"`
	// Failure says why the response is missing or not whole; empty when it is whole.
	Failure Failure `json:"failure,omitempty"`
	// Error is the failure in words.
	Error string `json:"error,omitempty"`
	// StartedAt is when the request was made, TookMicros how long it took until the body was read or given up.
	StartedAt  time.Time `json:"started_at"`
	TookMicros int64     `json:"took_us"`
}

// Body is what a response held.
type Body []byte

// Failure says why a response is missing.
type Failure string

// Failures.
const (
	// FailureConnection: the host could not be found or reached, or cut the connection.
	FailureConnection Failure = "connection"
	// FailureTimeout: it took longer than it may.
	FailureTimeout Failure = "timeout"
	// FailureTooLarge: the body is larger than it may be.
	FailureTooLarge Failure = "too_large"
	// FailureRefused: the destination may not be asked, such as an address of a private network.
	FailureRefused Failure = "refused_destination"
	// FailureRedirects: it leads from place to place more often than it may.
	FailureRedirects Failure = "too_many_redirects"
	// FailureURI: the URI has no scheme that can be asked, or can't be read.
	FailureURI Failure = "bad_uri"
	// FailureImage: the image can't be decoded, or would be too large when it is.
	FailureImage Failure = "bad_image"
)

// Encode gives the body of the event.
func (r *Report) Encode() ([]byte, error) {
	if err := r.validate(); err != nil {
		return nil, err
	}
	out := reportJSON{r.Want, r.Attempt, r.Tip, r.StartedAt, r.FinishedAt, nil, r.Image}
	if r.Exchanges != nil {
		out.Exchanges = make([]exchangeJSON, len(r.Exchanges))
	}
	for i := range r.Exchanges {
		out.Exchanges[i] = r.Exchanges[i].json()
	}
	return json.Marshal(out)
}

// DecodeReport reads the body of an event.
func DecodeReport(b []byte) (*Report, error) {
	var in reportJSON
	if err := json.Unmarshal(b, &in); err != nil {
		return nil, fmt.Errorf("report of a fetch: %w", err)
	}
	r := &Report{in.Want, in.Attempt, in.Tip, in.StartedAt, in.FinishedAt, nil, in.Image}
	if in.Exchanges != nil {
		r.Exchanges = make([]Exchange, len(in.Exchanges))
	}
	for i := range in.Exchanges {
		if err := r.Exchanges[i].set(&in.Exchanges[i]); err != nil {
			return nil, fmt.Errorf("report of a fetch: /exchanges/%d: %w", i, err)
		}
	}
	return r, r.validate()
}

func (r *Report) validate() error {
	if err := r.Want.Validate(); err != nil {
		return fmt.Errorf("report of a fetch: /want: %w", err)
	}
	if r.Attempt < 1 {
		return fmt.Errorf("report of a fetch: /attempt: want 1 or more, got %d", r.Attempt)
	}
	if r.Want.Kind == ContractRead && r.Tip == nil {
		return errors.New("report of a fetch: /tip: a contract_read says at which block")
	}
	for i, e := range r.Exchanges {
		if e.Call < 0 || e.Call > 0 && e.Call >= len(r.Want.Calls) {
			return fmt.Errorf("report of a fetch: /exchanges/%d/call: there is no call %d", i, e.Call)
		}
	}
	return nil
}

// Last is the last exchange, which is the one that counts; ok is false when nothing was asked.
func (r *Report) Last() (e Exchange, ok bool) {
	if len(r.Exchanges) == 0 {
		return e, false
	}
	return r.Exchanges[len(r.Exchanges)-1], true
}

// LastOf is the last exchange for a call; ok is false when it was not made.
func (r *Report) LastOf(call int) (e Exchange, ok bool) {
	for i := len(r.Exchanges) - 1; i >= 0; i-- {
		if r.Exchanges[i].Call == call {
			return r.Exchanges[i], true
		}
	}
	return e, false
}

// exchange has the fields of Exchange, without its methods.
type exchange Exchange

// exchangeJSON keeps bodies readable where that is possible without loss.
type exchangeJSON struct {
	exchange
	Text   *string `json:"body,omitempty"`
	Base64 *string `json:"body_base64,omitempty"`
}

// reportJSON is a Report as it is written. It has exchanges in their own form: a method of Exchange would read and write
// each of them twice, with the body.
type reportJSON struct {
	Want       Want           `json:"want"`
	Attempt    int            `json:"attempt"`
	Tip        *Tip           `json:"tip,omitempty"`
	StartedAt  time.Time      `json:"started_at"`
	FinishedAt time.Time      `json:"finished_at"`
	Exchanges  []exchangeJSON `json:"exchanges"`
	Image      *ImageFacts    `json:"image,omitempty"`
}

// json writes a body that is text as "body" and any other as "body_base64".
func (e *Exchange) json() exchangeJSON {
	out := exchangeJSON{exchange: exchange(*e)}
	switch {
	case e.Body == nil:
	case utf8.Valid(e.Body):
		s := string(e.Body)
		out.Text = &s
	default:
		s := base64.StdEncoding.EncodeToString(e.Body)
		out.Base64 = &s
	}
	return out
}

// set is the inverse of json.
func (e *Exchange) set(in *exchangeJSON) error {
	*e = Exchange(in.exchange)
	switch {
	case in.Text != nil:
		e.Body = []byte(*in.Text)
	case in.Base64 != nil:
		body, err := base64.StdEncoding.DecodeString(*in.Base64)
		if err != nil {
			return fmt.Errorf("body_base64: %w", err)
		}
		e.Body = body
	}
	return nil
}
