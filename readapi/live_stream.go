package readapi

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"strconv"
	"time"

	"strata/readapi/internal/answer"
	"strata/readapi/internal/live"
)

// How streams go on.
const (
	// liveRetry is how long clients are asked to wait before they come again.
	liveRetry = 2 * time.Second
	// liveWait is how long to wait before the tables are looked at again that were not as far as expected.
	liveWait = 50 * time.Millisecond
	// liveReads is how often in a row the tables may fail to be read.
	liveReads = 3
	// liveChunk is how much is written before a client is given the whole time again to take it.
	liveChunk = 64 << 10
)

// Reasons for which a stream ends that the hub does not know of.
const (
	endGone    live.Reason = "gone"    // the client has left
	endStalled live.Reason = "stalled" // it does not take what is sent
	endFailed  live.Reason = "failed"  // the tables could not be read
)

// liveStream is a stream of server-sent events to one client.
type liveStream struct {
	api        *API
	feed       live.Feed
	subscriber *live.Subscriber
	w          http.ResponseWriter
	control    *http.ResponseController

	// cursor is what the client has, with the messages that are written.
	cursor liveCursor
	// told is the last id that it was sent.
	told    live.Position
	written time.Time
}

// errStalled is what writing fails with that took too long, and errGone with any other failure.
var (
	errStalled = errors.New("the client does not read")
	errGone    = errors.New("the client has left")
)

// serveStream answers with what happens on a feed after a position; nil for from now on.
func (a *API) serveStream(w http.ResponseWriter, r *http.Request, feed live.Feed, from *live.Position) {
	ctx := r.Context()
	subscriber, err := a.live.subscribe(ctx, "sse")
	if err != nil {
		refuseStream(w, r, err)
		return
	}
	ended := endGone
	defer func() { subscriber.Close(ended) }()
	st := &liveStream{api: a, feed: feed, subscriber: subscriber, w: w, control: http.NewResponseController(w)}
	begun, err := st.start(ctx, from)
	if err != nil {
		ended = endFailed
		a.failed(ctx, err, answer.Config{}).Serve(w, r, answer.Moment{})
		return
	}
	header := w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", answer.NoStore.CacheControl())
	header.Set("X-Accel-Buffering", "no") // a proxy in between is to pass on what it has
	header.Set(positionHeader, st.cursor.position.String())
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return
	}
	// The server's own limits are for requests that end. A pending read that ran into its deadline would end this one.
	_ = st.control.SetReadDeadline(time.Time{})
	ended = st.run(ctx, begun)
	if ended == live.Slow || ended == live.Stopping || ended == endFailed {
		st.end(ended)
	}
	_ = st.control.SetWriteDeadline(time.Now().Add(a.config.StreamWriteTimeout)) // for what the server writes at the end
}

// refuseStream answers when nobody more can follow.
func refuseStream(w http.ResponseWriter, _ *http.Request, err error) {
	message, after := "Streams are not served at the moment", "1"
	if errors.Is(err, live.ErrFull) {
		message, after = "As many streams as may be are open", "30"
	}
	body, _ := encode(unavailableBody{message})
	header := w.Header()
	header.Set("Retry-After", after)
	header.Set("Content-Type", jsonType)
	header.Set("Cache-Control", answer.NoStore.CacheControl())
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = w.Write(body)
}

// start finds where the client is, and reads the first page, so that a position that is none is refused. A client that is
// further than the tables, as another process had more, waits for these a while.
func (st *liveStream) start(ctx context.Context, from *live.Position) (begun *livePage, err error) {
	if from == nil {
		place, ok := st.api.live.hub.Place()
		if !ok {
			return nil, live.ErrClosed
		}
		st.cursor = liveCursor{place.Instance, place.Step, place.Position}
		return nil, nil
	}
	st.cursor.position = *from
	ctx, cancel := context.WithTimeout(ctx, st.api.config.RequestTimeout)
	defer cancel()
	for behind := false; ; behind = true {
		page, err := st.read(ctx, 0)
		switch {
		case err != nil && behind && ctx.Err() != nil:
			return nil, badRequest("the position %q is after all that this archive has", from)
		case err != nil:
			return nil, err
		case !page.behind:
			return page, nil
		}
		select {
		case <-time.After(liveWait):
		case <-ctx.Done():
			return nil, badRequest("the position %q is after all that this archive has", from)
		}
	}
}

// read reads the next page from the tables.
func (st *liveStream) read(ctx context.Context, until int64) (*livePage, error) {
	done, err := st.api.live.turn(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	if st.feed.Kind == liveBalances {
		return st.api.balancePage(ctx, st.feed, st.cursor)
	}
	return st.api.livePage(ctx, st.feed, st.cursor, until)
}

// run tells the client what happens until there is a reason not to.
func (st *liveStream) run(ctx context.Context, begun *livePage) live.Reason {
	err := st.write([]byte("retry: " + strconv.FormatInt(liveRetry.Milliseconds(), 10) + "\n\n" + idText(st.cursor.position)))
	st.told = st.cursor.position
	if err == nil && begun != nil {
		err = st.send(begun)
	}
	for err == nil {
		if err = st.catchUp(ctx, begun); err != nil {
			break
		}
		begun = nil
		reason, failure := st.follow(ctx)
		if reason != live.Moved {
			if failure == nil {
				return reason
			}
			err = failure
			break
		}
		st.subscriber.LeaveAll()
		st.cursor.instance = "" // to be looked for
	}
	switch {
	case errors.Is(err, errStalled):
		return endStalled
	case ctx.Err() != nil, errors.Is(err, errGone):
		return endGone
	}
	st.api.config.Logger.LogAttrs(ctx, slog.LevelDebug, "a stream ends", slog.Any("error", err))
	return endFailed
}

// catchUp reads from the tables until what is missing is nothing but what the hub is going to tell, and follows it.
func (st *liveStream) catchUp(ctx context.Context, begun *livePage) error {
	head := begun != nil && begun.head
	for {
		if place, ok := st.api.live.hub.Place(); ok && st.feed.Kind != liveBalances && st.cursor.instance == place.Instance && st.cursor.step >= place.Step {
			head = true
		}
		for !head {
			page, err := st.next(ctx, 0)
			if err != nil {
				return err
			}
			head = page.head && !page.behind
		}
		place := st.subscriber.Follow(st.feed)
		if st.feed.Kind == liveBalances {
			_, err := st.next(ctx, 0) // what has changed before it was followed
			return err
		}
		for st.cursor.instance == place.Instance && st.cursor.step < place.Step {
			if _, err := st.next(ctx, place.Step); err != nil {
				return err
			}
		}
		if st.cursor.instance == place.Instance && !st.subscriber.Overflown() {
			return st.tell()
		}
		st.subscriber.LeaveAll()
		head = false
		if err := st.pause(ctx); err != nil {
			return err
		}
	}
}

// next reads a page and sends it.
func (st *liveStream) next(ctx context.Context, until int64) (*livePage, error) {
	for failed := 1; ; failed++ {
		before := st.cursor
		page, err := st.read(ctx, until)
		if err == nil {
			if err := st.send(page); err != nil {
				return nil, err
			}
			if page.behind || st.cursor == before && len(page.messages) == 0 {
				err = st.pause(ctx)
			}
			return page, err
		}
		if failed == liveReads || isAnswer(err) || ctx.Err() != nil {
			return nil, err
		}
		if err := st.pause(ctx); err != nil {
			return nil, err
		}
	}
}

func (st *liveStream) pause(ctx context.Context) error {
	select {
	case <-time.After(liveWait):
		return st.beat()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// follow tells what the hub tells, until there is a reason not to.
func (st *liveStream) follow(ctx context.Context) (live.Reason, error) {
	timer := time.NewTimer(st.api.config.Heartbeat)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return endGone, nil
		case <-timer.C:
			if place, ok := st.subscriber.Told(); ok && st.feed.Kind != liveBalances && place.Instance == st.cursor.instance && place.Step > st.cursor.step {
				st.cursor.step, st.cursor.position = place.Step, place.Position
			}
			if err := st.beat(); err != nil {
				return "", err
			}
		case <-st.subscriber.Wake():
			entries, reason := st.subscriber.Take()
			if reason != "" {
				return reason, nil
			}
			if err := st.sendEntries(entries); err != nil {
				return "", err
			}
		}
		timer.Reset(max(st.api.config.Heartbeat-time.Since(st.written), time.Millisecond))
	}
}

// send sends a page.
func (st *liveStream) send(page *livePage) error {
	var b bytes.Buffer
	for i := range page.messages {
		st.appendEntry(&b, page.messages[i].Entry)
	}
	if b.Len() > 0 {
		if err := st.write(b.Bytes()); err != nil {
			return err
		}
	}
	st.cursor = page.cursor
	return st.beat()
}

// sendEntries sends what the hub told.
func (st *liveStream) sendEntries(entries []live.Entry) error {
	var b bytes.Buffer
	for _, e := range entries {
		if e.Step <= st.cursor.step {
			continue // it was read from the tables
		}
		st.appendEntry(&b, e)
		if e.Last {
			st.cursor.step, st.cursor.position = e.Step, e.Position
		}
	}
	if b.Len() == 0 {
		return nil
	}
	return st.write(b.Bytes())
}

// appendEntry adds an event. Its id is what the client has with it, so that only the last one of a step has one: whoever
// leaves amid a step gets all of it again.
func (st *liveStream) appendEntry(b *bytes.Buffer, e live.Entry) {
	if e.Last {
		b.WriteString("id: " + e.Position.String() + "\n")
		st.told = e.Position
	}
	b.Write(e.Data)
}

// idText sets the id of the last event without an event.
func idText(p live.Position) string { return "id: " + p.String() + "\n\n" }

// beat says that the stream is alive, when nothing else has said so for long.
func (st *liveStream) beat() error {
	if time.Since(st.written) < st.api.config.Heartbeat {
		return nil
	}
	text := ":\n\n"
	if st.told != st.cursor.position {
		text = ":\n" + idText(st.cursor.position)
		st.told = st.cursor.position
	}
	return st.write([]byte(text))
}

// tell says what the client has, when there was nothing in it for it.
func (st *liveStream) tell() error {
	if st.told == st.cursor.position {
		return nil
	}
	st.told = st.cursor.position
	return st.write([]byte(idText(st.told)))
}

// end says why the stream ends.
func (st *liveStream) end(reason live.Reason) {
	if data, err := eventText(liveEnd, endBody{reason, st.cursor.position.String()}); err == nil {
		_ = st.write(append([]byte("id: "+st.cursor.position.String()+"\n"), data...))
	}
}

// write writes all of it, and gives the client time for each part.
func (st *liveStream) write(data []byte) error {
	for len(data) > 0 {
		n := min(len(data), liveChunk)
		_ = st.control.SetWriteDeadline(time.Now().Add(st.api.config.StreamWriteTimeout))
		_, err := st.w.Write(data[:n])
		if err == nil {
			err = st.control.Flush()
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return errStalled
		}
		if err != nil {
			return errGone
		}
		data = data[n:]
	}
	st.written = time.Now()
	return nil
}

// balancePage is what somebody has.
func (a *API) balancePage(ctx context.Context, feed live.Feed, cursor liveCursor) (*livePage, error) {
	page := &livePage{cursor: cursor, head: true}
	messages, err := a.balanceMessages(ctx, []live.Feed{feed})
	if err != nil || len(messages) == 0 {
		return page, err
	}
	m := messages[0]
	if m.Position.Log < cursor.position.Log {
		page.behind = true
		return page, nil
	}
	page.messages = []live.Delivery{{Feed: feed, Entry: live.Entry{Message: m, Last: true}}}
	page.cursor.step, page.cursor.position = m.Step, m.Position
	return page, nil
}
