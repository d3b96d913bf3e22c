package replica

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/multitracer"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
)

// Config configures a Choice. The zero value of any field but Primary and Replicas means its default.
type Config struct {
	// Primary is how to connect to the database that is written. It is the last resort for reads.
	Primary *pgx.ConnConfig
	// Replicas are how to connect to the others, in the order of preference.
	Replicas []*pgx.ConnConfig
	// LagLimit is how far a replica may be behind the primary; default 5 s. One that was left out comes back when it is less
	// than half as far behind.
	LagLimit time.Duration
	// Interval is the interval at which to look at each server; default 250 ms.
	Interval time.Duration
	// Patience is how long a look may take; default 2 s.
	Patience time.Duration
	// Shown returns the position in the log that answers have shown; default none. A replica that has not reached it is not
	// chosen.
	Shown func() int64
	// Logger is told which server is read, and why; default none.
	Logger *slog.Logger
	// Registry is where the metrics are registered; default none.
	Registry prometheus.Registerer
}

// Defaults of Config.
const (
	LagLimitDefault = 5 * time.Second
	IntervalDefault = 250 * time.Millisecond
	PatienceDefault = 2 * time.Second
)

// Choice is which server is read now. It is safe for concurrent use.
type Choice struct {
	config  Config
	servers []*server // the replicas, then the primary
	current atomic.Pointer[server]
	chosen  chan struct{} // closed when each server was looked at once
	metrics metrics

	mu      sync.Mutex
	history history // of the primary
}

// New returns a choice. It reads the first replica until Run has looked at the servers.
func New(config Config) *Choice {
	if config.LagLimit <= 0 {
		config.LagLimit = LagLimitDefault
	}
	if config.Interval <= 0 {
		config.Interval = IntervalDefault
	}
	if config.Patience <= 0 {
		config.Patience = PatienceDefault
	}
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	if config.Shown == nil {
		config.Shown = func() int64 { return 0 }
	}
	c := &Choice{config: config, chosen: make(chan struct{}), history: history{keep: 4 * config.LagLimit}}
	for _, to := range config.Replicas {
		c.servers = append(c.servers, &server{name: nameOf(to), connect: to})
	}
	c.servers = append(c.servers, &server{name: nameOf(config.Primary) + " (primary)", connect: config.Primary, primary: true})
	c.metrics = newMetrics(config.Registry, c.servers)
	c.current.Store(c.servers[0])
	c.metrics.read(c.servers[0])
	return c
}

// server is one of the databases.
type server struct {
	name    string // for logs and metrics
	connect *pgx.ConnConfig
	primary bool

	// What the last look found, guarded by Choice.mu.
	err   error // why it can't be read; nil while it can
	seen  seen
	lag   time.Duration
	out   bool // left out because it lags, until it lags much less
	known bool // it was looked at
}

// nameOf names a server without credentials.
func nameOf(to *pgx.ConnConfig) string { return fmt.Sprintf("%s:%d/%s", to.Host, to.Port, to.Database) }

// serverKey is where a connection's custom data has its server.
const serverKey = "strata.replica"

// Prepare makes a pool follow the choice. The pool keeps its own settings of sessions.
func (c *Choice) Prepare(config *pgxpool.Config) {
	config.BeforeConnect = func(_ context.Context, to *pgx.ConnConfig) error {
		s := c.current.Load()
		there := s.connect.Copy()
		to.Host, to.Port, to.Database, to.User, to.Password = there.Host, there.Port, there.Database, there.User, there.Password
		to.TLSConfig, to.Fallbacks, to.ValidateConnect = there.TLSConfig, there.Fallbacks, there.ValidateConnect
		to.SSLNegotiation, to.SSLCertMode, to.KerberosSrvName, to.KerberosSpn = there.SSLNegotiation, there.SSLCertMode, there.KerberosSrvName, there.KerberosSpn
		to.AfterConnect = func(_ context.Context, conn *pgconn.PgConn) error {
			conn.CustomData()[serverKey] = s
			return nil
		}
		own := connectTracer{c, s}
		if to.Tracer != nil {
			to.Tracer = multitracer.New(own, to.Tracer)
		} else {
			to.Tracer = own
		}
		return nil
	}
	config.PrepareConn = func(_ context.Context, conn *pgx.Conn) (bool, error) {
		return conn.PgConn().CustomData()[serverKey] == c.current.Load(), nil
	}
}

// connectTracer learns of connections that fail, so that the next one goes elsewhere at once.
type connectTracer struct {
	choice *Choice
	server *server
}

// TraceConnectStart implements pgx.ConnectTracer.
func (t connectTracer) TraceConnectStart(ctx context.Context, _ pgx.TraceConnectStartData) context.Context {
	return ctx
}

// TraceConnectEnd implements pgx.ConnectTracer.
func (t connectTracer) TraceConnectEnd(ctx context.Context, data pgx.TraceConnectEndData) {
	if data.Err != nil && ctx.Err() == nil {
		t.choice.learn(ctx, t.server, seen{}, data.Err)
	}
}

// TraceQueryStart implements pgx.QueryTracer, which pgx asks of every tracer.
func (t connectTracer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

// TraceQueryEnd implements pgx.QueryTracer.
func (t connectTracer) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// Run looks at the servers, and chooses, until ctx ends.
func (c *Choice) Run(ctx context.Context) {
	var looking, first sync.WaitGroup
	for _, s := range c.servers {
		first.Add(1)
		looking.Go(func() { c.watch(ctx, s, sync.OnceFunc(first.Done)) })
	}
	first.Wait()
	close(c.chosen)
	looking.Wait()
}

// Chosen returns when each server was looked at once, so that the choice is made of what is there; or when ctx ends.
func (c *Choice) Chosen(ctx context.Context) {
	select {
	case <-c.chosen:
	case <-ctx.Done():
	}
}

// Current returns the name of the server that is read now.
func (c *Choice) Current() string { return c.current.Load().name }

// watch looks at a server again and again, over a connection of its own.
func (c *Choice) watch(ctx context.Context, s *server, looked func()) {
	defer looked()
	var conn *pgx.Conn
	leave := func() {
		if conn != nil {
			ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			_ = conn.Close(ending)
			cancel()
			conn = nil
		}
	}
	defer leave()
	ticker := time.NewTicker(c.config.Interval)
	defer ticker.Stop()
	for {
		now, err := func() (now seen, err error) {
			within, cancel := context.WithTimeout(ctx, c.config.Patience)
			defer cancel()
			if conn == nil {
				if conn, err = pgx.ConnectConfig(within, s.connect); err != nil {
					return now, err
				}
			}
			return look(within, conn)
		}()
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			leave()
		}
		c.learn(ctx, s, now, err)
		looked()
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// learn takes in what was found at a server, and chooses again.
func (c *Choice) learn(ctx context.Context, s *server, now seen, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.known, s.err = true, err
	if err != nil {
		s.out = false
	} else {
		s.seen = now
		switch {
		case s.primary:
			c.history.add(time.Now(), now.wal)
			s.lag = 0
		case now.writable: // it was promoted
			s.lag = 0
		default:
			s.lag = c.history.behind(time.Now(), now.wal)
		}
		if s.out = s.lag > c.config.LagLimit || s.out && s.lag > c.config.LagLimit/2; s.out {
			s.err = lagError{s.lag}
		}
	}
	c.metrics.found(s)
	c.choose(ctx)
}

// lagError says that a replica is left out because it is behind.
type lagError struct{ by time.Duration }

func (e lagError) Error() string { return fmt.Sprintf("it is %s behind", e.by.Round(time.Millisecond)) }

// best returns the first good server that has what answers have shown; else, as when the primary is gone, the one that has most among
// those that answer, even if it lags; else the one before.
func (c *Choice) best(before *server, shown int64) *server {
	var most *server
	for _, s := range c.servers {
		switch {
		case !s.known || s.err != nil && !s.out:
		case !s.out && (s.primary || s.seen.log >= shown):
			return s
		case most == nil || s.seen.log > most.seen.log:
			most = s
		}
	}
	if most == nil {
		return before
	}
	return most
}

// choose reads on at the current server while it is good, and at the primary only while no replica is. The caller holds the
// mutex.
func (c *Choice) choose(ctx context.Context) {
	before := c.current.Load()
	if before.err == nil && !before.primary {
		return
	}
	next := c.best(before, c.config.Shown())
	if next == before {
		return
	}
	c.current.Store(next)
	c.metrics.read(next)
	c.metrics.switches.Inc()
	why := before.err
	if why == nil {
		why = errors.New("a replica can be read")
	}
	level := slog.LevelInfo
	if before.err != nil {
		level = slog.LevelWarn
	}
	c.config.Logger.LogAttrs(ctx, level, "reads go to another database", slog.String("from", before.name), slog.String("to", next.name), slog.Any("because", why))
}
