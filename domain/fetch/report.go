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

// Report is the result of one attempt to fetch a want: every request, and the bytes of every response.
type Report struct {
	Want Want
	// Attempt counts from 1, and starts again when the want is renewed.
	Attempt int
	// Tip is the block at which the node answered; nil for wants that do not concern the chain.
	Tip        *Tip
	StartedAt  time.Time
	FinishedAt time.Time
	Exchanges  []Exchange
	// Image describes the last response to a want of kind Image; nil if the image could not be decoded.
	Image *ImageFacts
}

// ImageFacts describes an image by its bytes.
type ImageFacts struct {
	// SHA256 of the bytes, in hex.
	SHA256 string `json:"sha256"`
	// ContentType is the actual format of the bytes, whatever the server says: image/png, image/jpeg, image/gif,
	// image/webp, image/tiff, image/svg+xml.
	ContentType string `json:"content_type"`
	// Width and Height in pixels, as the image is shown; 0 if the image has no size of its own.
	Width  int `json:"width,omitempty"`
	Height int `json:"height,omitempty"`
}

// Tip is a block of the canonical chain.
type Tip struct {
	Height         int64       `json:"height"`
	IndexBlockHash hash.Hash32 `json:"index_block_hash"`
}

// Exchange is a request with its response or failure.
type Exchange struct {
	// Call is the index of the request's call in the want's calls.
	Call   int    `json:"call,omitempty"`
	Method string `json:"method,omitempty"`
	// URL of the request, without credentials.
	URL string `json:"url,omitempty"`
	// Gateway is the base URL through which a URI of another scheme was requested; for a contract, the base URL of the
	// node. Empty if the URI itself was requested.
	Gateway string `json:"gateway,omitempty"`
	// Request is the request body.
	Request string `json:"request,omitempty"`
	// Status of the response; 0 for no response.
	Status int `json:"status,omitempty"`
	// Header has the headers of the response that describe the body or say when to retry, by lower-case name.
	Header map[string]string `json:"header,omitempty"`
	// Body of the response, byte for byte.
	Body Body `json:"-"`
	// Unchanged stands for all of the exchange but its gateway and status, if the body is one that the log has already; nil
	// if the body is here.
	Unchanged *Unchanged `json:"unchanged,omitempty"`
	// Failure says why the response is missing or incomplete; empty if it is complete.
	Failure Failure `json:"failure,omitempty"`
	// Error is the failure in words.
	Error string `json:"error,omitempty"`
	// StartedAt is the time of the request, and TookMicros the time in microseconds until the body was read or the
	// request given up.
	StartedAt  time.Time `json:"started_at,omitzero"`
	TookMicros int64     `json:"took_us,omitempty"`
}

// Body is the body of a response.
type Body []byte

// Failure says why a response is missing or incomplete.
type Failure string

// Failures.
const (
	// FailureConnection means that the host could not be found or reached, or closed the connection.
	FailureConnection Failure = "connection"
	// FailureTimeout means that the response took too long.
	FailureTimeout Failure = "timeout"
	// FailureTooLarge means that the body was too large.
	FailureTooLarge Failure = "too_large"
	// FailureRefused means that requests to the destination are forbidden, such as to an address of a private network.
	FailureRefused Failure = "refused_destination"
	// FailureRedirects means that there were too many redirects.
	FailureRedirects Failure = "too_many_redirects"
	// FailureURI means that the URI is malformed, or that its scheme is not supported.
	FailureURI Failure = "bad_uri"
	// FailureImage means that the image cannot be decoded, or would be too large when decoded.
	FailureImage Failure = "bad_image"
	// FailureFormat means that the bytes are of a known format, such as AVIF, for which there is no decoder.
	FailureFormat Failure = "unsupported_image"
)

// Encode returns the body of the event.
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

// DecodeReport decodes the body of an event.
func DecodeReport(b []byte) (*Report, error) {
	var in reportJSON
	if err := json.Unmarshal(b, &in); err != nil {
		return nil, fmt.Errorf("fetch report: %w", err)
	}
	r := &Report{in.Want, in.Attempt, in.Tip, in.StartedAt, in.FinishedAt, nil, in.Image}
	if in.Exchanges != nil {
		r.Exchanges = make([]Exchange, len(in.Exchanges))
	}
	for i := range in.Exchanges {
		if err := r.Exchanges[i].set(&in.Exchanges[i]); err != nil {
			return nil, fmt.Errorf("fetch report: /exchanges/%d: %w", i, err)
		}
	}
	return r, r.validate()
}

func (r *Report) validate() error {
	if err := r.Want.Validate(); err != nil {
		return fmt.Errorf("fetch report: /want: %w", err)
	}
	if r.Attempt < 1 {
		return fmt.Errorf("fetch report: /attempt: want 1 or more, got %d", r.Attempt)
	}
	if r.Want.Kind == ContractRead && r.Tip == nil {
		return errors.New("fetch report: /tip: a contract_read says at which block")
	}
	for i, e := range r.Exchanges {
		if e.Unchanged != nil && (e.Unchanged.Seq < 1 || e.Body != nil || e.Failure != "") {
			return fmt.Errorf("fetch report: /exchanges/%d/unchanged: want the event that has the body, and no body here", i)
		}
		if e.Call < 0 || e.Call > 0 && e.Call >= len(r.Want.Calls) {
			return fmt.Errorf("fetch report: /exchanges/%d/call: there is no call %d", i, e.Call)
		}
	}
	return nil
}

// Last returns the last exchange, which is the one that counts; ok is false if there is none.
func (r *Report) Last() (e Exchange, ok bool) {
	if len(r.Exchanges) == 0 {
		return e, false
	}
	return r.Exchanges[len(r.Exchanges)-1], true
}

// LastOf returns the last exchange for the call with the given index; ok is false if there is none.
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

// exchangeJSON is the JSON form of an Exchange. It keeps a body readable where that loses nothing.
type exchangeJSON struct {
	exchange
	Text   *string `json:"body,omitempty"`
	Base64 *string `json:"body_base64,omitempty"`
}

// reportJSON is the JSON form of a Report. It contains exchangeJSON because MarshalJSON and UnmarshalJSON methods of
// Exchange would process each exchange twice, with its body.
type reportJSON struct {
	Want       Want           `json:"want"`
	Attempt    int            `json:"attempt"`
	Tip        *Tip           `json:"tip,omitempty"`
	StartedAt  time.Time      `json:"started_at"`
	FinishedAt time.Time      `json:"finished_at"`
	Exchanges  []exchangeJSON `json:"exchanges"`
	Image      *ImageFacts    `json:"image,omitempty"`
}

// json returns the JSON form, with a body that is UTF-8 as "body" and any other body as "body_base64".
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
