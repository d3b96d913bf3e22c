package stream

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"

	"strata/readapi/internal/answer"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/live"
	"strata/readapi/stream/internal/sse"
)

const (
	// liveRetry is how long clients are asked to wait before they reconnect.
	liveRetry = 2 * time.Second
	// liveWait is the pause before the tables are read again, after they failed or were not as far as expected.
	liveWait = 50 * time.Millisecond
	// liveReads is how many times in a row reading the tables may fail.
	liveReads = 3
	// liveChunk is how many bytes are written within one write timeout.
	liveChunk = 64 << 10
)

// Reasons for which a stream ends, besides those of the hub.
const (
	endGone    live.Reason = "gone"    // the client has left
	endStalled live.Reason = "stalled" // the client does not read
	endFailed  live.Reason = "failed"  // the tables could not be read
)

// liveStream is a stream of server-sent events to one client.
type liveStream struct {
	api        *api
	feed       live.Feed
	subscriber *live.Subscriber
	conn       net.Conn

	// cursor is the client's place after the messages that were written.
	cursor liveCursor
	// sentID is the position in the last id that the client was sent.
	sentID  live.Position
	written time.Time // of the last write
}

// Errors that end a stream: errStalled when a write takes too long, errGone when it fails otherwise, and errStopping
// when the tables are to be read while the server stops, which is answered with 503.
var (
	errStalled  = errors.New("the client does not read")
	errGone     = errors.New("the client has left")
	errStopping = &engine.Error{Code: engine.CodeBusy, Message: "the server stops"}
)

// serveStream answers a request with the stream of a feed, from a position on; nil for from now on.
func (a *api) serveStream(w http.ResponseWriter, r *http.Request, feed live.Feed, from *live.Position) {
	ctx := r.Context()
	subscriber, err := a.live.subscribe(ctx, "sse")
	if err != nil {
		refuseStream(w, r, err)
		return
	}
	st := &liveStream{api: a, feed: feed, subscriber: subscriber}
	first, err := st.start(ctx, from)
	if err != nil {
		subscriber.Close(endFailed)
		a.FailureAnswer(ctx, err, answer.Config{}).Serve(w, r, answer.Moment{})
		return
	}
	header := w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", answer.NoStore.CacheControl())
	header.Set("X-Accel-Buffering", "no") // keeps a proxy from buffering
	header.Set(engine.PositionHeader, st.cursor.position.String())
	if r.Method == http.MethodHead {
		subscriber.Close(endGone)
		w.WriteHeader(http.StatusOK)
		return
	}
	if st.conn, err = takeOver(w); err != nil {
		subscriber.Close(endFailed)
		refuseProtocol(w, r)
		return
	}
	go st.serve(streamHead(header), first)
}

// streamHead returns the status line and headers of an answer that ends when its connection is closed.
func streamHead(header http.Header) []byte {
	var b bytes.Buffer
	b.WriteString("HTTP/1.1 200 OK\r\n")
	header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	header.Set("Connection", "close")
	_ = header.Write(&b)
	b.WriteString("\r\n")
	return b.Bytes()
}

// serve serves the stream until either side ends it. It holds on to nothing of the request, so that an idle client
// takes little memory.
func (st *liveStream) serve(head []byte, first *livePage) {
	ctx, leave := context.WithCancel(context.Background())
	ended := endFailed
	defer func() {
		if p := recover(); p != nil {
			st.api.logPanic(p)
		}
		leave()
		_ = st.conn.Close()
		st.subscriber.Close(ended)
	}()
	go watchClient(st.conn, leave)
	ended = st.run(ctx, head, first)
	if ended == live.Slow || ended == live.Stopping || ended == endFailed {
		st.sendEnd(ended)
	}
}

// refuseStream answers 503 when the hub takes no further subscriber.
func refuseStream(w http.ResponseWriter, _ *http.Request, err error) {
	message, after := "Streams are not served at the moment", "1"
	if errors.Is(err, live.ErrFull) {
		message, after = "As many streams as may be are open", "30"
	}
	if errors.Is(err, live.ErrClientFull) {
		message, after = "As many streams as one client may have are open", "30"
	}
	body, _ := engine.Encode(engine.UnavailableBody{Error: message})
	header := w.Header()
	header.Set("Retry-After", after)
	header.Set("Content-Type", engine.JSONType)
	header.Set("Cache-Control", answer.NoStore.CacheControl())
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = w.Write(body)
}

// refuseProtocol answers 501 when the connection cannot be taken over: over HTTP/2 it is shared with other requests.
func refuseProtocol(w http.ResponseWriter, r *http.Request) {
	refused := engine.ErrorAnswer(engine.ErrorBody{
		StatusCode: http.StatusNotImplemented, Reason: http.StatusText(http.StatusNotImplemented), Message: "streams need HTTP/1.1",
	}, answer.Config{Status: http.StatusNotImplemented})
	refused.Serve(w, r, answer.Moment{})
}

// start sets the cursor and, if there is a position, reads the first page, so that an invalid position is refused with
// an HTTP error. A position may be ahead of the tables, as another process may read fresher ones: then start waits for
// them, for the request timeout at most.
func (st *liveStream) start(ctx context.Context, from *live.Position) (first *livePage, err error) {
	if from == nil && st.feed.Kind == liveMempool {
		st.cursor, err = st.api.mempoolNow(ctx)
		return nil, err
	}
	if from == nil {
		place, ok := st.api.live.hub.Place()
		if !ok {
			return nil, errStopping
		}
		st.cursor = liveCursor{instance: place.Instance, step: place.Step, position: place.Position}
		return nil, nil
	}
	st.cursor.position = *from
	ctx, cancel := context.WithTimeout(ctx, st.api.Config.RequestTimeout)
	defer cancel()
	for behind := false; ; behind = true {
		next := st.api.Watch.Next()
		page, err := st.read(ctx, 0)
		switch {
		case err != nil && behind && ctx.Err() != nil:
			return nil, engine.Behind(from.String())
		case err != nil:
			return nil, err
		case !page.behind:
			return page, nil
		}
		select {
		case <-next:
		case <-ctx.Done():
			return nil, engine.Behind(from.String())
		}
	}
}

// followsPosition reports whether the feed depends not on the steps of chain, but on the position of another projection.
func (st *liveStream) followsPosition() bool {
	return st.feed.Kind == liveBalances || st.feed.Kind == liveMempool
}

// read reads the next page from the tables, up to the step until; 0 for no bound.
func (st *liveStream) read(ctx context.Context, until int64) (*livePage, error) {
	if st.subscriber.Stopped() {
		return nil, errStopping
	}
	done, err := st.api.live.acquireSlot(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	switch st.feed.Kind {
	case liveBalances:
		return st.api.balancePage(ctx, st.feed, st.cursor)
	case liveMempool:
		return st.api.mempoolStreamPage(ctx, st.feed, st.cursor)
	}
	return st.api.livePage(ctx, st.feed, st.cursor, until)
}

// run sends the stream until it has to end, and returns the reason.
func (st *liveStream) run(ctx context.Context, head []byte, first *livePage) live.Reason {
	err := st.write(append(head, "retry: "+strconv.FormatInt(liveRetry.Milliseconds(), 10)+"\n\n"+idText(st.cursor.position)...))
	st.sentID = st.cursor.position
	if err == nil && first != nil {
		err = st.send(first)
	}
	for err == nil {
		if err = st.catchUp(ctx, first); err != nil {
			break
		}
		first = nil
		reason, failure := st.follow(ctx)
		if reason != live.Moved {
			if failure == nil {
				return reason
			}
			err = failure
			break
		}
		st.subscriber.LeaveAll()
		st.cursor.instance = "" // the next page looks the position up in the new instance
	}
	switch {
	case errors.Is(err, errStalled):
		return endStalled
	case errors.Is(err, errStopping):
		return live.Stopping
	case ctx.Err() != nil, errors.Is(err, errGone):
		return endGone
	}
	st.api.Config.Logger.LogAttrs(ctx, slog.LevelDebug, "stream ended", slog.Any("error", err))
	return endFailed
}

// catchUp sends pages from the tables until the hub has everything else, and follows the feed on the hub. first is the
// page that was sent already, if any.
func (st *liveStream) catchUp(ctx context.Context, first *livePage) error {
	head := first != nil && first.head
	for {
		if place, ok := st.api.live.hub.Place(); ok && !st.followsPosition() && st.cursor.instance == place.Instance && st.cursor.step >= place.Step {
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
		if st.followsPosition() {
			again, err := st.catchUpStepless(ctx)
			if !again {
				return err
			}
			head = false
			continue
		}
		for st.cursor.instance == place.Instance && st.cursor.step < place.Step {
			if _, err := st.next(ctx, place.Step); err != nil {
				return err
			}
		}
		if st.cursor.instance == place.Instance && !st.subscriber.Overflowed() {
			return st.sendPosition()
		}
		st.subscriber.LeaveAll()
		head = false
		if err := st.pause(ctx); err != nil {
			return err
		}
	}
}

// catchUpStepless sends the changes up to the moment at which the feed was followed. again says that the queue
// overflowed in the meantime, so that messages were lost and the stream has to catch up once more.
func (st *liveStream) catchUpStepless(ctx context.Context) (again bool, err error) {
	for head := false; !head; {
		page, err := st.next(ctx, 0)
		if err != nil {
			return false, err
		}
		head = page.head && !page.behind || st.feed.Kind == liveBalances
	}
	if !st.subscriber.Overflowed() {
		return false, st.sendPosition()
	}
	st.subscriber.LeaveAll()
	return true, st.pause(ctx)
}

// next reads a page and sends it. It reads again when reading fails, liveReads times in all.
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
		if failed == liveReads || engine.IsAnswer(err) || ctx.Err() != nil {
			return nil, err
		}
		if err := st.pause(ctx); err != nil {
			return nil, err
		}
	}
}

// pause waits for liveWait.
func (st *liveStream) pause(ctx context.Context) error {
	select {
	case <-time.After(liveWait):
		return st.heartbeat()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// follow sends what the hub delivers until the stream has to end, and returns the reason or the error.
func (st *liveStream) follow(ctx context.Context) (live.Reason, error) {
	timer := time.NewTimer(st.api.streams.Heartbeat)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return endGone, nil
		case <-timer.C:
			if place, ok := st.subscriber.DeliveredUpTo(); ok && !st.followsPosition() && place.Instance == st.cursor.instance && place.Step > st.cursor.step {
				st.cursor.step, st.cursor.position = place.Step, place.Position
			}
			if err := st.heartbeat(); err != nil {
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
		timer.Reset(max(st.api.streams.Heartbeat-time.Since(st.written), time.Millisecond))
	}
}

// send sends a page.
func (st *liveStream) send(page *livePage) error {
	var texts net.Buffers
	for i := range page.messages {
		e := page.messages[i].Entry
		texts = append(texts, e.Text())
		if e.Last {
			st.sentID = e.Position
		}
	}
	if err := st.writeAll(texts); err != nil {
		return err
	}
	st.cursor = page.cursor
	return st.heartbeat()
}

// sendEntries sends messages from the hub, which are encoded once for all clients.
func (st *liveStream) sendEntries(entries []live.Entry) error {
	var texts net.Buffers
	for _, e := range entries {
		if e.Step <= st.cursor.step {
			continue // already sent from the tables
		}
		texts = append(texts, e.Text())
		if e.Last {
			st.cursor.step, st.cursor.position, st.sentID = e.Step, e.Position, e.Position
		}
	}
	return st.writeAll(texts)
}

// idText returns an id without an event: it sets the client's last event id.
func idText(p live.Position) string { return sse.IDLine(p) + "\n" }

// heartbeat sends a comment, and the client's position if it is new, unless something was written within the heartbeat
// interval.
func (st *liveStream) heartbeat() error {
	if time.Since(st.written) < st.api.streams.Heartbeat {
		return nil
	}
	text := ":\n\n"
	if st.sentID != st.cursor.position {
		text = ":\n" + idText(st.cursor.position)
		st.sentID = st.cursor.position
	}
	return st.write([]byte(text))
}

// sendPosition sends the client's position, unless the last id that it was sent says it.
func (st *liveStream) sendPosition() error {
	if st.sentID == st.cursor.position {
		return nil
	}
	st.sentID = st.cursor.position
	return st.write([]byte(idText(st.sentID)))
}

// sendEnd sends the event end with the reason.
func (st *liveStream) sendEnd(reason live.Reason) {
	position := st.cursor.position
	if m, err := sse.Message(0, position, liveEnd, endBody{reason, position.String()}); err == nil {
		_ = st.write(m.Whole)
	}
}

// writeAll writes texts, as many as fit into a liveChunk with one system call.
func (st *liveStream) writeAll(texts net.Buffers) error {
	for len(texts) > 0 {
		n, size := 1, len(texts[0])
		for n < len(texts) && size+len(texts[n]) <= liveChunk {
			size += len(texts[n])
			n++
		}
		if n == 1 {
			if err := st.write(texts[0]); err != nil {
				return err
			}
		} else {
			_ = st.conn.SetWriteDeadline(time.Now().Add(st.api.streams.WriteTimeout))
			together := texts[:n:n]
			if _, err := together.WriteTo(st.conn); err != nil {
				return writeFailure(err)
			}
			st.written = time.Now()
		}
		texts = texts[n:]
	}
	return nil
}

// write writes data. The client has the write timeout for each liveChunk of it.
func (st *liveStream) write(data []byte) error {
	for len(data) > 0 {
		n := min(len(data), liveChunk)
		_ = st.conn.SetWriteDeadline(time.Now().Add(st.api.streams.WriteTimeout))
		if _, err := st.conn.Write(data[:n]); err != nil {
			return writeFailure(err)
		}
		data = data[n:]
	}
	st.written = time.Now()
	return nil
}

func writeFailure(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return errStalled
	}
	return errGone
}

// balancePage reads the balances of the feed's account as a page.
func (a *api) balancePage(ctx context.Context, feed live.Feed, cursor liveCursor) (*livePage, error) {
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
