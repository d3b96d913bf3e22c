package synthordinals

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"strata/internal/synth/simulate"
)

// ErrAnswer means that an indexer does not take an observer's answer for success, because its status is not 2xx.
var ErrAnswer = errors.New("an indexer does not accept this answer")

// Simulation plays an indexer: it posts a feed to an observer and repeats a payload until the observer accepts it.
type Simulation struct {
	Observer    string // http://host:port, optionally with a path that goes before /payload
	Token       string // bearer token (empty = none)
	Feed        Config
	Rate        float64        // maximum posts per second (0 = unlimited)
	Count       uint64         // number of posts (0 = until the context ends)
	Timeout     time.Duration  // for one attempt; default 30 s
	Wait        time.Duration  // before a retry; default 1 s, as in an indexer
	AllowRemote bool           // also post to an observer on another machine
	Progress    func(Progress) // called after each attempt; may be nil
}

// Progress describes how far a simulation has come.
type Progress = simulate.Progress

// Run posts until Count is reached and then returns nil, or until the context ends and then returns its error. It fails
// at once with simulate.ErrRemote for an observer on another machine, or if the address is invalid. An indexer gives up
// after some attempts until its operator restarts the feed; Run never gives up.
func (s Simulation) Run(ctx context.Context) error {
	target, err := s.target()
	if err != nil {
		return err
	}
	if s.Timeout <= 0 {
		s.Timeout = 30 * time.Second
	}
	if s.Wait <= 0 {
		s.Wait = time.Second
	}
	client := s.client()
	defer client.CloseIdleConnections()
	return simulate.Loop{
		Observer: target,
		Next:     New(s.Feed).Next,
		Attempt:  func(ctx context.Context, p Post) error { return s.post(ctx, client, target, p) },
		Backoff:  func(time.Duration) time.Duration { return s.Wait },
		Rate:     s.Rate, Count: s.Count, Progress: s.Progress,
	}.Run(ctx)
}

// post makes one attempt.
func (s Simulation) post(ctx context.Context, client *http.Client, target string, p Post) (err error) {
	ctx, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, target, bytes.NewReader(p.Body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	if s.Token != "" {
		request.Header.Set("Authorization", "Bearer "+s.Token)
	}
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, answer.Body.Close()) }()
	const most = 1 << 20
	body, err := io.ReadAll(io.LimitReader(answer.Body, most))
	if err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("%w: status %d: %.200s", ErrAnswer, answer.StatusCode, body)
	}
	return nil
}

// client returns a client that checks each address when it dials it, so that the checked address is the one that it
// uses. The client uses no proxies and follows no redirects.
func (s Simulation) client() *http.Client {
	dialer := &net.Dialer{Control: func(_, address string, _ syscall.RawConn) error {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return fmt.Errorf("address %q: %w", address, err)
		}
		// A link-local address may have a zone.
		host, _, _ = strings.Cut(host, "%")
		if ip := net.ParseIP(host); !s.AllowRemote && !ip.IsLoopback() {
			return fmt.Errorf("%s: %w", address, simulate.ErrRemote)
		}
		return nil
	}}
	return &http.Client{
		Transport:     &http.Transport{DialContext: dialer.DialContext},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// target returns the URL of the posts.
func (s Simulation) target() (string, error) {
	u, err := url.Parse(s.Observer)
	if err != nil {
		return "", fmt.Errorf("observer address: %w", err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return "", fmt.Errorf("observer address %q: want http://host:port", s.Observer)
	}
	return u.JoinPath(path).String(), nil
}
