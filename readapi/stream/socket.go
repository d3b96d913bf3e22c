package stream

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/coder/websocket"
	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/answer"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/live"
)

// Limits of a WebSocket.
const (
	socketMessageMost = 64 << 10 // bytes of a client's message
	// Sizes of a connection's buffers, in bytes. Most notifications fit into the write buffer.
	socketReadBuffer  = 512
	socketWriteBuffer = 2 << 10
)

// endSilent is the reason for ending a WebSocket whose client does not answer pings.
const endSilent live.Reason = "silent"

// socketStatus maps the reason for which the server closes a WebSocket to the status code that the client gets.
var socketStatus = map[live.Reason]websocket.StatusCode{
	live.Slow:     websocket.StatusTryAgainLater,
	live.Moved:    websocket.StatusServiceRestart,
	live.Stopping: websocket.StatusGoingAway,
}

// liveSocket is the WebSocket of one client.
type liveSocket struct {
	api        *api
	conn       *websocket.Conn
	subscriber *live.Subscriber
	subscribed map[subscription]struct{}
	reversible int // number of the reversible ones of these
}

// errSilent is the cause when a client does not answer a ping in time.
var errSilent = errors.New("the client does not answer pings")

func (a *api) registerSocket() {
	a.Plain("GET /extended/v1/ws", "websocket", a.serveSocket)
	a.Untraceable(untracedStream, "websocket")
	schema := a.OpenAPI().Components.Schemas
	failure := func(body reflect.Type, about string) *huma.Response {
		return &huma.Response{Description: about, Content: map[string]*huma.MediaType{"application/json": {Schema: schema.Schema(body, true, "")}}}
	}
	a.OpenAPI().AddOperation(&huma.Operation{
		Method: http.MethodGet, Path: "/extended/v1/ws", OperationID: "websocket", Tags: []string{"Streams"}, Summary: "Subscriptions over a WebSocket",
		Description: "JSON-RPC 2.0 with the methods `subscribe` and `unsubscribe`. Notifications start with the subscription and are sent at most once; the streams under `/stream/v1` can be resumed. See docs/live.md.",
		Responses: map[string]*huma.Response{
			"101": {Description: "The connection is a WebSocket from here on."},
			"426": failure(reflect.TypeFor[engine.ErrorBody](), "The request does not ask for a WebSocket."),
			"503": failure(reflect.TypeFor[engine.UnavailableBody](), "The maximum number of streams is open: Retry-After says when to try again."),
		},
	})
}

// serveSocket upgrades the connection of a request to a WebSocket.
func (a *api) serveSocket(w http.ResponseWriter, r *http.Request) {
	if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") || r.Method != http.MethodGet {
		w.Header().Set("Upgrade", "websocket")
		w.Header().Set("Connection", "Upgrade")
		engine.ErrorAnswer(engine.ErrorBody{
			StatusCode: http.StatusUpgradeRequired, Reason: http.StatusText(http.StatusUpgradeRequired), Message: "this is a WebSocket",
		}, answer.Config{Status: http.StatusUpgradeRequired}).Serve(w, r, answer.Moment{})
		return
	}
	subscriber, err := a.live.subscribe(r.Context(), "websocket")
	if err != nil {
		refuseStream(w, r, err)
		return
	}
	// The data is public, so pages of any origin may connect.
	conn, err := websocket.Accept(smallBuffers{w}, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil { // Accept has answered the client
		subscriber.Close(endFailed)
		return
	}
	conn.SetReadLimit(socketMessageMost)
	s := &liveSocket{api: a, conn: conn, subscriber: subscriber, subscribed: map[subscription]struct{}{}}
	go s.serve()
}

// smallBuffers replaces the HTTP server's buffers of a hijacked connection by smaller ones, as there are many
// connections.
type smallBuffers struct{ http.ResponseWriter }

// Hijack implements http.Hijacker.
func (w smallBuffers) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffers, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	ahead, _ := buffers.Peek(buffers.Reader.Buffered())
	var from io.Reader = conn
	if len(ahead) > 0 {
		from = io.MultiReader(bytes.NewReader(bytes.Clone(ahead)), conn)
	}
	reader := bufio.NewReaderSize(from, max(socketReadBuffer, len(ahead)))
	_, _ = reader.Peek(len(ahead))
	return conn, bufio.NewReadWriter(reader, bufio.NewWriterSize(conn, socketWriteBuffer)), nil
}

// serve serves the client until either side ends the connection.
func (s *liveSocket) serve() {
	ctx, stop := context.WithCancelCause(context.Background())
	ended := endFailed
	defer func() {
		if p := recover(); p != nil {
			s.api.logPanic(p)
		}
		stop(errGone)
		_ = s.conn.CloseNow()
		s.subscriber.Close(ended)
	}()
	go s.receive(ctx, stop)
	ended = s.send(ctx, stop)
}

// send sends the client's queue and pings until the connection ends, and returns why it ends.
func (s *liveSocket) send(ctx context.Context, stop context.CancelCauseFunc) live.Reason {
	pings := time.NewTicker(s.api.streams.PingInterval)
	defer pings.Stop()
	for {
		select {
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), errSilent) {
				return endSilent
			}
			return endGone
		case <-pings.C:
			go s.ping(ctx, stop)
		case <-s.subscriber.Wake():
			entries, reason := s.subscriber.Take()
			if err := s.write(ctx, entries); err != nil {
				if errors.Is(err, errStalled) {
					return endStalled
				}
				return endGone
			}
			if reason != "" {
				_ = s.conn.Close(socketStatus[reason], string(reason))
				return reason
			}
		}
	}
}

// write writes messages. The client has the write timeout for each liveChunk of them.
func (s *liveSocket) write(ctx context.Context, entries []live.Entry) error {
	for len(entries) > 0 {
		limited, cancel := context.WithTimeout(ctx, s.api.streams.WriteTimeout)
		size := 0
		for len(entries) > 0 && size < liveChunk {
			if err := s.conn.Write(limited, websocket.MessageText, entries[0].Data); err != nil {
				stalled := errors.Is(limited.Err(), context.DeadlineExceeded)
				cancel()
				if stalled {
					return errStalled
				}
				return errGone
			}
			size += len(entries[0].Data)
			entries = entries[1:]
		}
		cancel()
	}
	return nil
}

// ping pings the client, and ends the connection if it does not answer in time.
func (s *liveSocket) ping(ctx context.Context, stop context.CancelCauseFunc) {
	limited, cancel := context.WithTimeout(ctx, s.api.streams.PingInterval)
	defer cancel()
	switch err := s.conn.Ping(limited); {
	case err == nil:
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		stop(errSilent)
	default:
		stop(errGone)
	}
}

// receive reads and answers the client's requests until the connection ends.
func (s *liveSocket) receive(ctx context.Context, stop context.CancelCauseFunc) {
	defer func() {
		if p := recover(); p != nil {
			s.api.logPanic(p)
		}
		stop(errGone)
	}()
	for {
		_, message, err := s.conn.Read(ctx)
		if err != nil {
			return
		}
		if reply, changes := s.handle(message); reply != nil {
			s.subscriber.Answer(reply, changes...)
		}
	}
}
