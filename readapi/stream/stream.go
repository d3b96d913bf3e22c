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
	api        *api
	feed       live.Feed
	subscriber *live.Subscriber
	conn       net.Conn

	// cursor is what the client has, with the messages that are written.
	cursor liveCursor
	// told is the last id that it was sent.
	told    live.Position
	written time.Time
}

// Why a stream ends beside what the hub says: what writing fails with that took too long, and with any other failure, and what
// reading the tables does when the server stops.
var (
	errStalled  = errors.New("the client does not read")
	errGone     = errors.New("the client has left")
	errStopping = errors.New("the server stops")
)

// serveStream answers with what happens on a feed after a position; nil for from now on.
func (a *api) serveStream(w http.ResponseWriter, r *http.Request, feed live.Feed, from *live.Position) {
	ctx := r.Context()
	subscriber, err := a.live.subscribe(ctx, "sse")
	if err != nil {
		refuseStream(w, r, err)
		return
	}
	st := &liveStream{api: a, feed: feed, subscriber: subscriber}
	begun, err := st.start(ctx, from)
	if err != nil {
		subscriber.Close(endFailed)
		a.FailureAnswer(ctx, err, answer.Config{}).Serve(w, r, answer.Moment{})
		return
	}
	header := w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", answer.NoStore.CacheControl())
	header.Set("X-Accel-Buffering", "no") // a proxy in between is to pass on what it has
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
	go st.serve(streamHead(header), begun)
}

// streamHead is the head of an answer that ends with its connection.
func streamHead(header http.Header) []byte {
	var b bytes.Buffer
	b.WriteString("HTTP/1.1 200 OK\r\n")
	header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	header.Set("Connection", "close")
	_ = header.Write(&b)
	b.WriteString("\r\n")
	return b.Bytes()
}

// serve tells the client what happens. It holds nothing of the request, so that a client that is told nothing takes little
// memory.
func (st *liveStream) serve(head []byte, begun *livePage) {
	ctx, leave := context.WithCancel(context.Background())
	ended := endFailed
	defer func() {
		if p := recover(); p != nil {
			st.api.livePanicked(p)
		}
		leave()
		_ = st.conn.Close()
		st.subscriber.Close(ended)
	}()
	go watchClient(st.conn, leave)
	ended = st.run(ctx, head, begun)
	if ended == live.Slow || ended == live.Stopping || ended == endFailed {
		st.end(ended)
	}
}

// refuseStream answers when nobody more can follow.
func refuseStream(w http.ResponseWriter, _ *http.Request, err error) {
	message, after := "Streams are not served at the moment", "1"
	if errors.Is(err, live.ErrFull) {
		message, after = "As many streams as may be are open", "30"
	}
	body, _ := engine.Encode(engine.UnavailableBody{Error: message})
	header := w.Header()
	header.Set("Retry-After", after)
	header.Set("Content-Type", engine.JsonType)
	header.Set("Cache-Control", answer.NoStore.CacheControl())
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = w.Write(body)
}

// refuseProtocol answers a client whose connection can't be taken from the server: HTTP/2 has none of its own.
func refuseProtocol(w http.ResponseWriter, r *http.Request) {
	refused := engine.ErrorAnswer(engine.ErrorBody{
		StatusCode: http.StatusNotImplemented, Reason: http.StatusText(http.StatusNotImplemented), Message: "streams need HTTP/1.1",
	}, answer.Config{Status: http.StatusNotImplemented})
	refused.Serve(w, r, answer.Moment{})
}

// start finds where the client is, and reads the first page, so that a position that is none is refused. A client that is
// further than the tables, as another process had more, waits for these a while.
func (st *liveStream) start(ctx context.Context, from *live.Position) (begun *livePage, err error) {
	if from == nil && st.feed.Kind == liveMempool {
		st.cursor, err = st.api.mempoolNow(ctx)
		return nil, err
	}
	if from == nil {
		place, ok := st.api.live.hub.Place()
		if !ok {
			return nil, live.ErrClosed
		}
		st.cursor = liveCursor{instance: place.Instance, step: place.Step, position: place.Position}
		return nil, nil
	}
	st.cursor.position = *from
	ctx, cancel := context.WithTimeout(ctx, st.api.Config.RequestTimeout)
	defer cancel()
	for behind := false; ; behind = true {
		page, err := st.read(ctx, 0)
		switch {
		case err != nil && behind && ctx.Err() != nil:
			return nil, engine.BadRequest("the position %q is after all that this archive has", from)
		case err != nil:
			return nil, err
		case !page.behind:
			return page, nil
		}
		select {
		case <-time.After(liveWait):
		case <-ctx.Done():
			return nil, engine.BadRequest("the position %q is after all that this archive has", from)
		}
	}
}

// apart says that what the feed tells does not hang on the steps of the chain, but on where another projection is.
func (st *liveStream) apart() bool {
	return st.feed.Kind == liveBalances || st.feed.Kind == liveMempool
}

// read reads the next page from the tables.
func (st *liveStream) read(ctx context.Context, until int64) (*livePage, error) {
	if st.subscriber.Stopped() {
		return nil, errStopping
	}
	done, err := st.api.live.turn(ctx)
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

// run tells the client what happens until there is a reason not to.
func (st *liveStream) run(ctx context.Context, head []byte, begun *livePage) live.Reason {
	err := st.write(append(head, "retry: "+strconv.FormatInt(liveRetry.Milliseconds(), 10)+"\n\n"+idText(st.cursor.position)...))
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
	case errors.Is(err, errStopping):
		return live.Stopping
	case ctx.Err() != nil, errors.Is(err, errGone):
		return endGone
	}
	st.api.Config.Logger.LogAttrs(ctx, slog.LevelDebug, "a stream ends", slog.Any("error", err))
	return endFailed
}

// catchUp reads from the tables until what is missing is nothing but what the hub is going to tell, and follows it.
func (st *liveStream) catchUp(ctx context.Context, begun *livePage) error {
	head := begun != nil && begun.head
	for {
		if place, ok := st.api.live.hub.Place(); ok && !st.apart() && st.cursor.instance == place.Instance && st.cursor.step >= place.Step {
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
		if st.apart() {
			again, err := st.meet(ctx)
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

// meet reads what has changed before the feed was followed. It says whether too much has been told meanwhile, so that some of
// that is lost.
func (st *liveStream) meet(ctx context.Context) (again bool, err error) {
	for head := false; !head; {
		page, err := st.next(ctx, 0)
		if err != nil {
			return false, err
		}
		head = page.head && !page.behind || st.feed.Kind == liveBalances
	}
	if !st.subscriber.Overflown() {
		return false, st.tell()
	}
	st.subscriber.LeaveAll()
	return true, st.pause(ctx)
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
		if failed == liveReads || engine.IsAnswer(err) || ctx.Err() != nil {
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
	timer := time.NewTimer(st.api.streams.Heartbeat)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return endGone, nil
		case <-timer.C:
			if place, ok := st.subscriber.Told(); ok && !st.apart() && place.Instance == st.cursor.instance && place.Step > st.cursor.step {
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
			st.told = e.Position
		}
	}
	if err := st.writeAll(texts); err != nil {
		return err
	}
	st.cursor = page.cursor
	return st.beat()
}

// sendEntries sends what the hub told, as it is: it is encoded once for all.
func (st *liveStream) sendEntries(entries []live.Entry) error {
	var texts net.Buffers
	for _, e := range entries {
		if e.Step <= st.cursor.step {
			continue // it was read from the tables
		}
		texts = append(texts, e.Text())
		if e.Last {
			st.cursor.step, st.cursor.position, st.told = e.Step, e.Position, e.Position
		}
	}
	return st.writeAll(texts)
}

// idText sets the id of the last event without an event.
func idText(p live.Position) string { return idLine(p) + "\n" }

// beat says that the stream is alive, when nothing else has said so for long.
func (st *liveStream) beat() error {
	if time.Since(st.written) < st.api.streams.Heartbeat {
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
	position := st.cursor.position
	if m, err := eventMessage(0, position, liveEnd, endBody{reason, position.String()}); err == nil {
		_ = st.write(m.Whole)
	}
}

// writeAll writes texts together.
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

// write writes all of it, and gives the client time for each part.
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

// balancePage is what somebody has.
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
