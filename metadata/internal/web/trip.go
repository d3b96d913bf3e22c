package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"strata/domain/fetch"
)

// pauseDefault is how long a host is paused that answers 429 without a usable Retry-After.
const pauseDefault = time.Minute

// errorBodyMax is the largest body that an exchange keeps if the status is not 2xx, in bytes.
const errorBodyMax = 16 << 10

// trip is an exchange in progress: a request and the redirects that follow.
type trip struct {
	client    *Client
	exchange  fetch.Exchange
	address   *url.URL
	secret    http.Header // for the next hop
	accept    string
	limit     int64
	redirects int
	remaining time.Duration // of Timeouts.Overall
}

// try makes the exchange with a candidate. ok is false if ctx ended before there was any result.
func (c *Client) try(ctx context.Context, candidate Candidate, limit int64, accept string) (e fetch.Exchange, ok bool) {
	t := trip{
		client: c,
		exchange: fetch.Exchange{
			Method:    http.MethodGet,
			URL:       withoutCredentials(candidate.URL),
			Gateway:   withoutCredentials(candidate.Gateway),
			StartedAt: time.Now().UTC(),
		},
		accept:    accept,
		limit:     max(limit, 0),
		remaining: c.config.Timeouts.Overall,
	}
	var err error
	if t.address, err = parse(candidate.URL); err == nil {
		t.secret = c.secrets.of(candidate.Gateway, t.address)
		err = t.run(ctx)
	}
	if errors.Is(err, errNotSent) || errors.Is(ctx.Err(), context.Canceled) && err != nil {
		return e, false
	}
	t.finish(err)
	return t.exchange, true
}

// errNotSent means that ctx ended, or would have ended, before the request got a slot.
var errNotSent = errors.New("not sent")

func (t *trip) run(ctx context.Context) error {
	for {
		next, err := t.hop(ctx)
		if next == nil || err != nil {
			return err
		}
		if t.redirects == t.client.config.MaxRedirects {
			return &failure{fetch.FailureRedirects, fmt.Sprintf("status %d to %s is not followed: %d redirects are enough",
				t.exchange.Status, withoutCredentials(next.String()), t.redirects)}
		}
		t.redirects++
		if origin(next) != origin(t.address) {
			t.secret = nil // for good, because the other origin could redirect back with a URL of its own choice
		}
		t.address = next
	}
}

// hop waits for a slot at the host, and makes one request.
func (t *trip) hop(ctx context.Context) (next *url.URL, err error) {
	t.exchange.Status, t.exchange.Header = 0, nil
	host := hostName(t.address)
	leave, err := t.client.hosts.acquire(ctx, host)
	var paused *pausedError
	switch {
	case errors.As(err, &paused):
		t.exchange.Status = http.StatusTooManyRequests
		t.exchange.Header = map[string]string{"retry-after": strconv.FormatInt(paused.seconds(), 10)}
		t.exchange.Error = paused.Error()
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errNotSent, err)
	}
	defer leave()
	started := time.Now()
	defer func() { t.remaining -= time.Since(started) }()
	if t.redirects == 0 {
		t.exchange.StartedAt = started.UTC()
	}

	overall := t.client.config.Timeouts.Overall
	ctx, cancel := context.WithTimeoutCause(ctx, t.remaining, timeoutFailure("not done", overall))
	defer cancel()
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	next, err = t.roundTrip(ctx, giveUp)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause // err only says that the request was cancelled
	}
	return next, err
}

// roundTrip makes one request. next is the target of a redirect; nil if the response is the answer.
func (t *trip) roundTrip(ctx context.Context, giveUp context.CancelCauseFunc) (next *url.URL, err error) {
	timeouts := t.client.config.Timeouts
	request, err := t.request(ctx)
	if err != nil {
		return nil, err
	}
	slowHeader := time.AfterFunc(timeouts.Header, func() { giveUp(timeoutFailure("no headers", timeouts.Header)) })
	response, err := t.client.transport.RoundTrip(request)
	slowHeader.Stop()
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()

	now := time.Now()
	t.exchange.Status = response.StatusCode
	t.exchange.Header = reportedHeader(response.Header, now)
	if response.StatusCode == http.StatusTooManyRequests {
		wait := cmp.Or(fetch.RetryAfter(t.exchange.Header["retry-after"], now), pauseDefault)
		t.client.hosts.pause(hostName(t.address), wait)
	}
	if next, err := target(response); next != nil || err != nil {
		return next, err
	}
	slowBody := time.AfterFunc(timeouts.Idle, func() { giveUp(timeoutFailure("nothing more of the body", timeouts.Idle)) })
	defer slowBody.Stop()
	return nil, t.read(response, &idleTimeoutReader{source: response.Body, timer: slowBody, idle: timeouts.Idle})
}

func (t *trip) request(ctx context.Context) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, t.address.String(), nil)
	if err != nil {
		return nil, &failure{fetch.FailureURI, "the address can't be asked"}
	}
	request.Header.Set("User-Agent", t.client.config.UserAgent)
	request.Header.Set("Accept-Encoding", "identity")
	if t.accept != "" {
		request.Header.Set("Accept", t.accept)
	}
	if user := t.address.User; user != nil {
		password, _ := user.Password()
		request.SetBasicAuth(user.Username(), password)
	}
	for name, values := range t.secret {
		request.Header[http.CanonicalHeaderKey(name)] = values
	}
	return request, nil
}

// target returns the target of a redirect (RFC 9110 15.4); nil if the response is not a redirect.
func target(response *http.Response) (*url.URL, error) {
	switch response.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil, nil
	}
	if response.Header.Get("Location") == "" {
		return nil, nil
	}
	next, err := response.Location()
	if err != nil {
		return nil, &failure{fetch.FailureURI, fmt.Sprintf("status %d leads to an address that can't be read",
			response.StatusCode)}
	}
	if err := validateAddress(next); err != nil {
		return nil, &failure{fetch.FailureURI, fmt.Sprintf("status %d leads nowhere: %v", response.StatusCode, err)}
	}
	return next, nil
}

// read reads the body. If the status is not 2xx, a failure to read the body is not a failure of the exchange.
func (t *trip) read(response *http.Response, body *idleTimeoutReader) error {
	if response.StatusCode == http.StatusSwitchingProtocols {
		// The request did not ask to switch protocols, and what follows has no end.
		t.exchange.Error = "status 101 was not asked for"
		return nil
	}
	success := response.StatusCode >= 200 && response.StatusCode <= 299
	limit := t.limit
	if !success {
		limit = min(limit, errorBodyMax)
	}
	content, decoded, err := readBody(response, body, limit)
	if err != nil {
		if success {
			return err
		}
		if cause := context.Cause(response.Request.Context()); cause != nil {
			err = cause
		}
		_, text := classify(err)
		t.exchange.Error = fmt.Sprintf("status %d; its body is left out: %s", response.StatusCode, text)
		return nil
	}
	t.exchange.Body = content
	if decoded != "" {
		delete(t.exchange.Header, "content-encoding")
		delete(t.exchange.Header, "content-length")
		t.exchange.Header[HeaderDecoded] = decoded
	}
	return nil
}

// finish completes the exchange.
func (t *trip) finish(err error) {
	e := &t.exchange
	e.TookMicros = time.Since(e.StartedAt).Microseconds()
	e.StartedAt = e.StartedAt.Round(0) // removes the reading of the monotonic clock
	if err != nil {
		e.Failure, e.Error = classify(err)
	}
	if t.redirects == 0 {
		return
	}
	if e.Header == nil {
		e.Header = make(map[string]string)
	}
	e.Header[HeaderFinalURL] = withoutCredentials(t.address.String())
	if e.Error != "" {
		e.Error = fmt.Sprintf("redirect %d, to %s: %s", t.redirects, e.Header[HeaderFinalURL], e.Error)
	}
}
