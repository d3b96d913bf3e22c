package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"strata/domain/fetch"
)

// closedDefault is how long a host is left alone that answers 429 without saying for how long.
const closedDefault = time.Minute

// errorBodyMax is up to which size the body of a status other than 2xx is kept.
const errorBodyMax = 16 << 10

// trip is one exchange on its way: a request and the redirects that follow.
type trip struct {
	client    *Client
	exchange  fetch.Exchange
	address   *url.URL
	secret    http.Header // for the hop to come
	accept    string
	limit     int64
	redirects int
	remaining time.Duration // of the overall timeout
}

// try asks a candidate. ok is false when ctx ended before it could tell anything.
func (c *Client) try(ctx context.Context, candidate Candidate, limit int64, accept string) (e fetch.Exchange, ok bool) {
	t := trip{
		client: c,
		exchange: fetch.Exchange{
			Method:    http.MethodGet,
			URL:       bare(candidate.URL),
			Gateway:   bare(candidate.Gateway),
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
	if errors.Is(err, errNotAsked) || errors.Is(ctx.Err(), context.Canceled) && err != nil {
		return e, false
	}
	t.finish(err)
	return t.exchange, true
}

// errNotAsked: ctx ended, or would have, before it was the request's turn.
var errNotAsked = errors.New("not asked")

func (t *trip) run(ctx context.Context) error {
	for {
		next, err := t.turn(ctx)
		if next == nil || err != nil {
			return err
		}
		if t.redirects == t.client.config.MaxRedirects {
			return &failure{fetch.FailureRedirects, fmt.Sprintf("status %d to %s is not followed: %d redirects are enough",
				t.exchange.Status, bare(next.String()), t.redirects)}
		}
		t.redirects++
		if origin(next) != origin(t.address) {
			t.secret = nil // for good: whoever it came to could send us back with a request of its own making
		}
		t.address = next
	}
}

// turn waits for the host's turn, and asks.
func (t *trip) turn(ctx context.Context) (next *url.URL, err error) {
	t.exchange.Status, t.exchange.Header = 0, nil
	host := hostName(t.address)
	leave, err := t.client.hosts.enter(ctx, host)
	var closed *closedError
	switch {
	case errors.As(err, &closed):
		t.exchange.Status = http.StatusTooManyRequests
		t.exchange.Header = map[string]string{"retry-after": strconv.FormatInt(closed.seconds(), 10)}
		t.exchange.Error = closed.Error()
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errNotAsked, err)
	}
	defer leave()
	started := time.Now()
	defer func() { t.remaining -= time.Since(started) }()
	if t.redirects == 0 {
		t.exchange.StartedAt = started.UTC()
	}

	overall := t.client.config.Timeouts.Overall
	ctx, cancel := context.WithTimeoutCause(ctx, t.remaining, tooSlow("not done", overall))
	defer cancel()
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	next, err = t.ask(ctx, giveUp)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause // what the request says of it is only that it was cancelled
	}
	return next, err
}

// ask does one request. next is where the response leads; nil when it is the answer.
func (t *trip) ask(ctx context.Context, giveUp context.CancelCauseFunc) (next *url.URL, err error) {
	timeouts := t.client.config.Timeouts
	request, err := t.request(ctx)
	if err != nil {
		return nil, err
	}
	slowHeader := time.AfterFunc(timeouts.Header, func() { giveUp(tooSlow("no headers", timeouts.Header)) })
	response, err := t.client.transport.RoundTrip(request)
	slowHeader.Stop()
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()

	now := time.Now()
	t.exchange.Status = response.StatusCode
	t.exchange.Header = selected(response.Header, now)
	if response.StatusCode == http.StatusTooManyRequests {
		wait := orDefault(fetch.RetryAfter(t.exchange.Header["retry-after"], now), closedDefault)
		t.client.hosts.close(hostName(t.address), wait)
	}
	if next, err := target(response); next != nil || err != nil {
		return next, err
	}
	slowBody := time.AfterFunc(timeouts.Idle, func() { giveUp(tooSlow("nothing more of the body", timeouts.Idle)) })
	defer slowBody.Stop()
	return nil, t.read(response, &patient{from: response.Body, timer: slowBody, idle: timeouts.Idle})
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

// target is where a response redirects to (RFC 9110 15.4); nil when it does not.
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
	if err := askable(next); err != nil {
		return nil, &failure{fetch.FailureURI, fmt.Sprintf("status %d leads nowhere: %v", response.StatusCode, err)}
	}
	return next, nil
}

// read takes the body. For a status other than 2xx it is the status that counts: its body is kept if it can be had.
func (t *trip) read(response *http.Response, from *patient) error {
	if response.StatusCode == http.StatusSwitchingProtocols {
		// Nobody asked for it, and what follows has no end.
		t.exchange.Error = "status 101 was not asked for"
		return nil
	}
	success := response.StatusCode >= 200 && response.StatusCode <= 299
	limit := t.limit
	if !success {
		limit = min(limit, errorBodyMax)
	}
	body, decoded, err := readBody(response, from, limit)
	if err != nil {
		if success {
			return err
		}
		if cause := context.Cause(response.Request.Context()); cause != nil {
			err = cause
		}
		_, text := describe(err)
		t.exchange.Error = fmt.Sprintf("status %d; its body is left out: %s", response.StatusCode, text)
		return nil
	}
	t.exchange.Body = body
	if decoded != "" {
		delete(t.exchange.Header, "content-encoding")
		delete(t.exchange.Header, "content-length")
		t.exchange.Header[HeaderDecoded] = decoded
	}
	return nil
}

// finish writes down what came of it.
func (t *trip) finish(err error) {
	e := &t.exchange
	e.TookMicros = time.Since(e.StartedAt).Microseconds()
	e.StartedAt = e.StartedAt.Round(0) // what can be written down: without the monotonic clock
	if err != nil {
		e.Failure, e.Error = describe(err)
	}
	if t.redirects == 0 {
		return
	}
	if e.Header == nil {
		e.Header = make(map[string]string)
	}
	e.Header[HeaderFinalURL] = bare(t.address.String())
	if e.Error != "" {
		e.Error = fmt.Sprintf("redirect %d, to %s: %s", t.redirects, e.Header[HeaderFinalURL], e.Error)
	}
}
