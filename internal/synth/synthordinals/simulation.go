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
)

// ErrRemote is returned for an observer that is not on this machine, unless Simulation.AllowRemote is set: a made-up feed
// must not end up in somebody's log by a slip of the keyboard.
var ErrRemote = errors.New("observer is not on this machine")

// ErrAnswer is why an observer's answer does not count as success: its status is not 2xx.
var ErrAnswer = errors.New("an indexer does not accept this answer")

// Simulation plays an indexer: it posts a feed to an observer, one payload after the other, and again until it is
// accepted.
type Simulation struct {
	Observer    string // http://host:port, a path in front of /payload is possible
	Token       string // bearer token; empty: none is shown
	Feed        Config
	Rate        float64       // posts a second at most; 0: as fast as they are accepted
	Count       uint64        // posts; 0: until the context ends
	Timeout     time.Duration // for one attempt; default 30 s
	Wait        time.Duration // before another attempt; default 1 s, as indexers have it
	AllowRemote bool
	Progress    func(Progress) // called after each attempt; may be nil
}

// Progress says how far a simulation is.
type Progress struct {
	Posts   uint64 // accepted
	Bytes   uint64 // in the bodies of these
	Retries uint64
	Elapsed time.Duration
	Last    Post  // the post that was tried
	Failure error // of the last attempt; nil when it was accepted
}

// Run posts until Count is reached, and then returns nil, or until the context ends, and then returns its error. It fails
// at once with ErrRemote, or for an address that is none. Unlike indexers, which give up after some attempts and want to
// be told to go on, it tries again for ever.
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
	feed, started := New(s.Feed), time.Now()
	var p Progress
	for ; s.Count == 0 || p.Posts < s.Count; p.Posts++ {
		if s.Rate > 0 {
			due := started.Add(time.Duration(float64(p.Posts) / s.Rate * float64(time.Second)))
			if err := sleep(ctx, time.Until(due)); err != nil {
				return err
			}
		}
		p.Last = feed.Next()
		if err := s.deliver(ctx, client, target, &p, started); err != nil {
			return err
		}
	}
	return nil
}

// deliver tries until the observer accepts.
func (s Simulation) deliver(ctx context.Context, client *http.Client, target string, p *Progress, started time.Time) error {
	for {
		p.Failure = s.post(ctx, client, target, p.Last)
		p.Elapsed = time.Since(started)
		if p.Failure == nil {
			p.Bytes += uint64(len(p.Last.Body))
		}
		if s.Progress != nil {
			told := *p
			if p.Failure == nil {
				told.Posts++
			}
			s.Progress(told)
		}
		switch {
		case p.Failure == nil:
			return nil
		case errors.Is(p.Failure, ErrRemote):
			return p.Failure
		}
		p.Retries++
		if err := sleep(ctx, s.Wait); err != nil {
			return fmt.Errorf("post %d to %s: %w (last answer: %w)", p.Posts+1, target, err, p.Failure)
		}
	}
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

// client checks each address when it is dialled, so that what is checked is what is used. It knows no proxies and follows
// no redirects.
func (s Simulation) client() *http.Client {
	dialer := &net.Dialer{Control: func(_, address string, _ syscall.RawConn) error {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return fmt.Errorf("address %q: %w", address, err)
		}
		// A link-local address may have a zone.
		host, _, _ = strings.Cut(host, "%")
		if ip := net.ParseIP(host); !s.AllowRemote && !ip.IsLoopback() {
			return fmt.Errorf("%s: %w", address, ErrRemote)
		}
		return nil
	}}
	return &http.Client{
		Transport:     &http.Transport{DialContext: dialer.DialContext},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// target is where posts go.
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

// sleep waits, or returns the context's error.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
