// Package witness asks witnesses to cosign the checkpoints of the log (https://c2sp.org/tlog-witness). A witness remembers the
// last checkpoint that it saw of a log, and signs the next one only with a proof that it extends that one. So whoever gets a
// checkpoint with its signature sees the same log as everybody else.
package witness

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"strata/eventstore/transparency"
	"strata/internal/pause"
)

const (
	// Interval is the shortest time between two requests to one witness about new checkpoints.
	Interval = time.Minute
	// answerMax is the largest answer, in bytes: a line for each signature.
	answerMax = 64 << 10
	timeout   = 30 * time.Second
)

// Config of an Asker.
type Config struct {
	// Log is the log whose checkpoints are to be signed. It accepts the signatures of the witnesses that it knows.
	Log *transparency.Log
	// URLs are the prefixes of the witnesses' addresses, to which /add-checkpoint is added.
	URLs []string
	// Interval is the shortest time between two checkpoints that a witness is asked to sign; default Interval.
	Interval time.Duration
	// Logger is for operators; default none.
	Logger *slog.Logger
}

// Asker asks witnesses for signatures.
type Asker struct {
	config    Config
	client    *http.Client
	witnesses []*witness
}

// witness is what is known of a witness.
type witness struct {
	url    string
	size   int64  // of the last checkpoint that it has seen
	signed int64  // of the last checkpoint that it has signed for this process
	logged string // the failure that was logged last; empty after a success
}

// New returns an Asker. It fails if it can't parse an address.
func New(config Config) (*Asker, error) {
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	if config.Interval <= 0 {
		config.Interval = Interval
	}
	a := &Asker{config: config, client: &http.Client{
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	for _, text := range config.URLs {
		u, err := url.Parse(text)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, fmt.Errorf("%q is not the address of a witness, such as https://witness.example.org", text)
		}
		a.witnesses = append(a.witnesses, &witness{url: strings.TrimRight(text, "/")})
	}
	return a, nil
}

// Run asks all witnesses about each new checkpoint until ctx ends. Several processes may run it on one log; a witness signs a
// checkpoint again whoever asks.
func (a *Asker) Run(ctx context.Context) {
	for ctx.Err() == nil {
		a.Ask(ctx)
		pause.For(ctx, a.config.Interval)
	}
}

// Ask asks each witness to sign the newest checkpoint, unless it has, and returns how many have signed it.
func (a *Asker) Ask(ctx context.Context) (signed int) {
	note, size, err := a.newest(ctx)
	for _, w := range a.witnesses {
		wErr := err
		if wErr == nil && size > 0 && w.signed < size {
			wErr = a.ask(ctx, w, note, size)
		}
		switch {
		case ctx.Err() != nil:
			return signed
		case wErr != nil && wErr.Error() != w.logged: // a failure is logged once, not at every attempt
			w.logged = wErr.Error()
			a.config.Logger.LogAttrs(ctx, slog.LevelWarn, "a witness did not sign the newest checkpoint; trying again", slog.String("witness", w.url), slog.Any("error", wErr))
		case wErr == nil && w.logged != "":
			w.logged = ""
			a.config.Logger.LogAttrs(ctx, slog.LevelInfo, "the witness signs again", slog.String("witness", w.url))
		}
		if wErr == nil && size > 0 && w.signed == size {
			signed++
		}
	}
	return signed
}

// newest returns the newest checkpoint, with the log's own signature alone, and its size; 0 if there is none yet.
func (a *Asker) newest(ctx context.Context) (note []byte, size int64, err error) {
	text, err := a.config.Log.Checkpoint(ctx, 0)
	var refusal *transparency.RefusalError
	if errors.As(err, &refusal) && refusal.Missing() {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	body, signatures, _ := bytes.Cut(text, []byte("\n\n"))
	lines := strings.SplitN(string(body), "\n", 3)
	if len(lines) < 3 {
		return nil, 0, fmt.Errorf("the newest checkpoint has %d lines", len(lines))
	}
	if size, err = strconv.ParseInt(lines[1], 10, 64); err != nil {
		return nil, 0, fmt.Errorf("read the size of the newest checkpoint: %w", err)
	}
	own, _, _ := bytes.Cut(signatures, []byte("\n")) // the log's own is the first
	return fmt.Appendf(nil, "%s\n\n%s\n", body, own), size, nil
}

// ask asks one witness. When it turns out to have seen another checkpoint than this process thought, it is asked once more.
func (a *Asker) ask(ctx context.Context, w *witness, note []byte, size int64) error {
	for range 2 {
		if w.size > size {
			return fmt.Errorf("it has seen a checkpoint of %d events, and the newest here has %d: the log was shortened, or another process is ahead", w.size, size)
		}
		request, err := a.request(ctx, w, note, size)
		if err != nil {
			return err
		}
		status, answer, err := a.post(ctx, w, request)
		switch {
		case err != nil:
			return err
		case status == http.StatusOK:
			w.size = size
			if _, _, err := a.config.Log.Cosign(ctx, append(bytes.Clone(note), answer...)); err != nil {
				return fmt.Errorf("keep its signature: %w", err)
			}
			w.signed = size
			return nil
		case status == http.StatusConflict:
			seen, err := strconv.ParseInt(strings.TrimSpace(string(answer)), 10, 64)
			if err != nil || seen < 0 {
				return fmt.Errorf("it has seen another checkpoint, and does not say of what size: %.200q", answer)
			}
			w.size = seen
		default:
			return fmt.Errorf("status %d: %.200q", status, strings.TrimSpace(string(answer)))
		}
	}
	return errors.New("it has seen another checkpoint than it said just before")
}

// request returns the body of a request: the size that the witness has seen, the proof that the checkpoint extends it, and the
// checkpoint.
func (a *Asker) request(ctx context.Context, w *witness, note []byte, size int64) ([]byte, error) {
	request := fmt.Appendf(nil, "old %d\n", w.size)
	if w.size > 0 && w.size < size {
		proof, err := a.config.Log.ProveConsistency(ctx, w.size, size)
		if err != nil {
			return nil, fmt.Errorf("prove that %d events extend the %d that it has seen: %w", size, w.size, err)
		}
		for _, hash := range proof.Hashes {
			request = fmt.Appendf(request, "%s\n", base64.StdEncoding.EncodeToString(hash))
		}
	}
	return fmt.Appendf(request, "\n%s", note), nil
}

func (a *Asker) post(ctx context.Context, w *witness, body []byte) (status int, answer []byte, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url+"/add-checkpoint", bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Content-Type", "text/plain; charset=utf-8")
	response, err := a.client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	answer, err = io.ReadAll(io.LimitReader(response.Body, answerMax))
	return response.StatusCode, answer, err
}
