package socketio

import (
	"bufio"
	"context"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	engine "github.com/zishang520/socket.io/servers/engine/v3"
	"github.com/zishang520/socket.io/servers/engine/v3/config"

	"strata/readapi/internal/live"
)

// Topic is what a client can subscribe to.
type Topic struct {
	Feed live.Feed
	// Reversible says that the feed is about blocks, so that its client also gets the reverts.
	Reversible bool
}

// Config configures a Server. All fields but the limits are required.
type Config struct {
	// Subscribe admits a client. Its error is handed to Refuse, which answers the request.
	Subscribe func(ctx context.Context) (*live.Subscriber, error)
	Refuse    func(w http.ResponseWriter, r *http.Request, err error)
	// Topic returns the topic with a name; ok is false if there is none.
	Topic func(name string) (topic Topic, ok bool)
	// Reverts is the feed that clients of reversible topics follow, too.
	Reverts live.Feed
	Logger  *slog.Logger

	// TopicsMost is the maximum number of topics of a session; default 1000.
	TopicsMost int
	// WriteTimeout is how long a client may take to read what is sent to it; default 10 s.
	WriteTimeout time.Duration
	// PingInterval is the interval at which clients are pinged, and PingTimeout how long they may take to answer; default
	// 25 s and 20 s.
	PingInterval, PingTimeout time.Duration
	// ConnectTimeout is how long a client may take to connect to the namespace; default 45 s.
	ConnectTimeout time.Duration
}

// Limits.
const (
	messageMost     = 64 << 10 // bytes of a client's message, and of a request's body
	chunk           = 64 << 10 // bytes that are sent within one write timeout
	lookInterval    = 100 * time.Millisecond
	topicsDefault   = 1000
	writeDefault    = 10 * time.Second
	intervalDefault = 25 * time.Second
	pingDefault     = 20 * time.Second
	connectDefault  = 45 * time.Second
)

// Reasons for which a session ends, besides those of the hub.
const (
	endGone    live.Reason = "gone"    // the client has left
	endStalled live.Reason = "stalled" // the client does not read
	endSilent  live.Reason = "silent"  // the client does not answer pings, or does not connect
	endInvalid live.Reason = "invalid" // the client does not keep to the protocol
	endFailed  live.Reason = "failed"
)

// Server serves the sessions of Socket.IO. It is an http.Handler for the path that clients use, /socket.io/.
type Server struct {
	config   Config
	engine   engine.Server
	sessions sync.Map // *session by id
}

// New returns a server without sessions.
func New(c Config) *Server {
	if c.TopicsMost <= 0 {
		c.TopicsMost = topicsDefault
	}
	for _, d := range []struct {
		value     *time.Duration
		byDefault time.Duration
	}{{&c.WriteTimeout, writeDefault}, {&c.PingInterval, intervalDefault}, {&c.PingTimeout, pingDefault}, {&c.ConnectTimeout, connectDefault}} {
		if *d.value <= 0 {
			*d.value = d.byDefault
		}
	}
	options := &config.ServerOptions{}
	options.SetPingInterval(c.PingInterval)
	options.SetPingTimeout(c.PingTimeout)
	options.SetMaxHttpBufferSize(messageMost)
	s := &Server{config: c, engine: engine.NewServer(options)}
	// The library announces a connection after it has sent the first packet. The client may have answered by then, and
	// nobody would hear it. Before it sends anything, it says that it will.
	_ = s.engine.On("flush", func(args ...any) {
		if conn, ok := args[0].(engine.Socket); ok {
			s.open(conn)
		}
	})
	_ = s.engine.On("connection", func(args ...any) {
		// The library only forgets a connection that closes after it was announced.
		if conn, ok := args[0].(engine.Socket); ok && conn.ReadyState() == "closed" {
			s.engine.Clients().Delete(conn.Id())
		}
	})
	return s
}

// admission is a place at the hub for the session that a request opens. The context of the request carries it.
type admission struct {
	subscriber *live.Subscriber
	used       atomic.Bool
}

type admissionKey struct{}

// ServeHTTP implements http.Handler. w must implement http.Hijacker.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if query := r.URL.Query(); r.Method == http.MethodGet && !query.Has("sid") && query.Get("EIO") == "4" {
		subscriber, err := s.config.Subscribe(r.Context())
		if err != nil {
			s.config.Refuse(w, r, err)
			return
		}
		a := &admission{subscriber: subscriber}
		defer func() {
			if !a.used.Load() { // the library has refused the request
				subscriber.Close(endInvalid)
			}
		}()
		r = r.WithContext(context.WithValue(r.Context(), admissionKey{}, a))
	}
	c, ok := s.sessions.Load(r.URL.Query().Get("sid"))
	if !ok {
		s.engine.ServeHTTP(w, r)
		return
	}
	// The library does not answer a request that waits for packets when the session ends. So end that request, and say with a
	// packet that the session is closed.
	ended := c.(*session).ended
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(ended, cancel)()
	answered := &answerRecorder{ResponseWriter: w}
	s.engine.ServeHTTP(answered, r.WithContext(ctx))
	if !answered.begun.Load() && ended.Err() != nil {
		w.Header().Set("Content-Type", "text/plain; charset=UTF-8")
		_, _ = w.Write([]byte{engineClose})
	}
}

// engineClose is the packet of Engine.IO that closes a session.
const engineClose = '1'

// answerRecorder notes whether an answer has begun.
type answerRecorder struct {
	http.ResponseWriter
	begun atomic.Bool
}

// WriteHeader implements http.ResponseWriter.
func (w *answerRecorder) WriteHeader(status int) {
	w.begun.Store(true)
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *answerRecorder) Write(b []byte) (int, error) {
	w.begun.Store(true)
	return w.ResponseWriter.Write(b)
}

// Hijack implements http.Hijacker.
func (w *answerRecorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	w.begun.Store(true)
	return http.NewResponseController(w.ResponseWriter).Hijack()
}

// open begins the session of a connection, unless it has begun.
func (s *Server) open(conn engine.Socket) {
	r := conn.Request().Request()
	a, ok := r.Context().Value(admissionKey{}).(*admission)
	if !ok || a.used.Load() || a.used.Swap(true) {
		return
	}
	ended, end := context.WithCancel(context.Background())
	c := &session{
		ended: ended, end: end, server: s, subscriber: a.subscriber, conn: conn, query: r.URL.Query(),
		closed: make(chan struct{}), subscribed: map[Topic]struct{}{},
	}
	_ = conn.On("message", func(args ...any) { c.receive(args[0]) })
	_ = conn.Once("close", func(args ...any) {
		if args[0] == "ping timeout" {
			c.close(endSilent)
			return
		}
		c.close(endGone)
	})
	s.sessions.Store(conn.Id(), c)
	go c.run()
}
