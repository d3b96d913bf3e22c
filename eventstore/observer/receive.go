package observer

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"strata/eventstore"
)

// fullRetryAfter is when senders are asked to come again while the disk is full, in seconds.
const fullRetryAfter = "10"

// receive stores the body of a POST.
func (o *Observer) receive(w http.ResponseWriter, r *http.Request) answer {
	arrived, receivedAt := time.Now(), o.config.Clock()
	r, ok := o.admit(r)
	if !ok {
		a := refuse(http.StatusForbidden, "this path needs its bearer token, or the secret of this observer") // 403, as ordinals-api answers indexers
		a.closing = true
		return a
	}
	if o.config.Full != nil && o.config.Full() {
		a := unavailable("the disk of the database is almost full; send the event again")
		a.retryAfter, a.closing = fullRetryAfter, true // the connection still holds the body
		return a
	}
	if o.config.TrustTimestamps {
		receivedAt = o.originalTime(r, receivedAt)
	}
	label := pathLabel(r.URL.Path)

	o.metrics.inFlight.Inc()
	defer o.metrics.inFlight.Dec()
	body, a, ok := o.readBody(w, r)
	if !ok {
		a.label = label
		return a
	}
	size := body.Size()
	if _, inMemory := body.Bytes(); !inMemory {
		o.metrics.spooled.Add(float64(size))
	}

	// The body is complete: from here on the event is stored even if the sender disconnects.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), o.config.AppendTimeout)
	defer cancel()
	tracer := o.config.Log.Tracer()
	if tracer != nil {
		ctx = eventstore.WithArrival(ctx, arrived)
	}
	begin := time.Now()
	position, err := o.config.Log.Append(ctx, eventstore.Incoming{
		ReceivedAt:  receivedAt,
		Source:      source(r.RemoteAddr),
		Path:        storedPath(r.URL),
		ContentType: r.Header.Get("Content-Type"),
		Body:        body, // the log closes it
	})
	tracer.ObserveEvent(position, o.metrics.appendSeconds, time.Since(begin).Seconds())
	if err != nil {
		return o.notAppended(r, size, err)
	}
	o.metrics.events.WithLabelValues(label).Inc()
	o.metrics.bytes.WithLabelValues(label).Add(float64(size))
	a = stored
	a.label = label
	return a
}

// admit reports whether a sender has shown the token or the secret that its path needs, and returns the request without
// the secret.
func (o *Observer) admit(r *http.Request) (*http.Request, bool) {
	feed := o.token != nil && isOrdhookPath(r.URL.Path)
	if feed && o.token.isIn(r.Header) {
		return r, true
	}
	if o.secret == nil {
		return r, !feed
	}
	admitted, ok := o.secret.admit(r)
	if o.token != nil && isOrdhookPath(admitted.URL.Path) { // the feed has a token of its own
		return r, o.token.isIn(r.Header)
	}
	return admitted, ok
}

// readBody reads the whole body. If that fails, it returns false and the answer, and holds no resources.
func (o *Observer) readBody(w http.ResponseWriter, r *http.Request) (*eventstore.Body, answer, bool) {
	in := newPatientReader(w, r.Body, &o.config)
	body, err := o.config.Spool.Read(in, r.ContentLength)
	in.done()
	if err == nil {
		return body, answer{}, true
	}
	level := slog.LevelWarn
	var a answer
	switch {
	case errors.Is(err, eventstore.ErrBodyTooLarge):
		level = slog.LevelError // a node will repeat it for ever
		a = refuse(http.StatusRequestEntityTooLarge, "the body is larger than this observer takes")
	case errors.Is(in.failure, os.ErrDeadlineExceeded):
		a = refuse(http.StatusRequestTimeout, "the body came too slowly, or not at all")
	case in.failure != nil, errors.Is(err, io.ErrUnexpectedEOF):
		a = refuse(http.StatusBadRequest, "the body is incomplete")
	default: // no room for the spool file
		level = slog.LevelError
		a = unavailable("the body can't be taken now; send it again")
	}
	a.closing = true // the connection still holds the rest of the body
	o.config.Logger.LogAttrs(r.Context(), level, "can't receive an event",
		slog.String("path", storedPath(r.URL)), slog.String("remote", r.RemoteAddr),
		slog.Int64("announced_bytes", r.ContentLength), slog.Int64("received_bytes", in.read), slog.Any("error", err))
	return nil, a, false
}

func (o *Observer) notAppended(r *http.Request, size int64, err error) answer {
	o.config.Logger.LogAttrs(r.Context(), slog.LevelError, "can't store an event; the sender must send it again",
		slog.String("path", storedPath(r.URL)), slog.String("remote", r.RemoteAddr),
		slog.Int64("bytes", size), slog.Any("error", err))
	switch {
	case errors.Is(err, eventstore.ErrRecordTooLong): // only behind another server: that of Serve refuses such a head
		return refuse(http.StatusRequestHeaderFieldsTooLarge, "the path and the content type are too long to be stored")
	case errors.Is(err, eventstore.ErrUnavailable), errors.Is(err, eventstore.ErrClosed), errors.Is(err, context.DeadlineExceeded):
		return unavailable("the event can't be stored now; send it again")
	}
	return refuse(http.StatusInternalServerError, "the event was not stored; send it again")
}

// source returns the source of an event: the sender's host, without the port, which differs for each event.
func source(remote string) string {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		host = remote
	}
	if host == "" || host == "@" { // an unnamed Unix socket
		host = "local"
	}
	return "observer:" + host
}
