package strata

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	// silenceMax is how long a stream may be silent: the server sends a comment every 15 seconds.
	silenceMax = time.Minute
	// eventMax bounds an event, in bytes.
	eventMax = 64 << 20
	pauseMin = 2 * time.Second
	pauseMax = 30 * time.Second
)

// Event is an event of a stream.
type Event struct {
	// Position is where a stream resumes that has seen this event. Keep it, and start from it.
	Position string
	Name     string // such as block
	Data     json.RawMessage
}

// Follow follows a stream, from a position, or from now when it is empty: ask is func(ctx, edit) { return
// client.StreamBlocks(ctx, nil, edit) }. It connects again whenever a connection breaks, and resumes after the last event,
// so that no event is missed. It ends when ctx does, or with an error when the server refuses the request.
func Follow(ctx context.Context, ask Ask, from string) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		f := &follower{ask: ask, position: from, pause: pauseMin}
		for pause := pauseMin; ctx.Err() == nil; pause = min(2*pause, pauseMax) {
			seen, err := f.follow(ctx, yield)
			var refusal *Refusal
			switch {
			case errors.Is(err, errEnough) || ctx.Err() != nil:
				return
			case errors.As(err, &refusal) && refusal.Status < 500 && refusal.Status != http.StatusTooManyRequests:
				yield(Event{}, err)
				return
			case seen:
				pause = f.pause
			case refusal != nil && refusal.RetryAfter > 0:
				pause = min(refusal.RetryAfter, pauseMax)
			}
			select {
			case <-ctx.Done():
			case <-time.After(pause):
			}
		}
	}
}

// errEnough means that whoever iterates has stopped.
var errEnough = errors.New("no more events are wanted")

type follower struct {
	ask      Ask
	position string
	pause    time.Duration // before the next connection, as the server says
}

// follow follows one connection until it ends; seen is whether anything came.
func (f *follower) follow(ctx context.Context, yield func(Event, error) bool) (seen bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	silence := time.AfterFunc(silenceMax, cancel)
	defer silence.Stop()
	answer, err := f.ask(ctx, func(_ context.Context, request *http.Request) error {
		request.Header.Set("Accept", "text/event-stream")
		if f.position != "" {
			request.Header.Set("Last-Event-ID", f.position)
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	if err := refused(answer); err != nil {
		return false, err
	}
	defer func() { _ = answer.Body.Close() }()
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, eventMax)
	var event Event
	for lines.Scan() {
		silence.Reset(silenceMax)
		seen = true
		line := lines.Text()
		if line == "" {
			// The position belongs to the event that it comes with, so it is kept once the event was handled.
			if event.Name != "" && event.Name != "end" {
				if event.Position == "" {
					event.Position = f.position
				}
				if !yield(event, nil) {
					return seen, errEnough
				}
			}
			if event.Position != "" {
				f.position = event.Position
			}
			event = Event{}
			continue
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "id":
			event.Position = value
		case "event":
			event.Name = value
		case "data":
			if event.Data != nil {
				event.Data = append(event.Data, '\n')
			}
			event.Data = append(event.Data, value...)
		case "retry":
			if ms, err := strconv.Atoi(value); err == nil {
				f.pause = min(time.Duration(ms)*time.Millisecond, pauseMax)
			}
		}
	}
	if err := lines.Err(); err != nil {
		return seen, err
	}
	return seen, io.ErrUnexpectedEOF
}
