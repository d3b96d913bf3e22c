package metadata

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"strata/domain/fetch"
	"strata/eventstore"
)

// Config of the role. The zero value of a field means its default, where it has one.
type Config struct {
	// Log that the reports go to. Its database has the wants, and gets the schema that River works in.
	Log *eventstore.Log
	// Nodes are base URLs of Stacks nodes' RPC, tried in turn. Without any, what only a node can tell is not asked.
	Nodes []string
	// Web asks for documents and images.
	Web Web
	// Resolve says where a URI can be asked for, best first. An error means nowhere.
	Resolve func(uri string) ([]Candidate, error)
	// Data reads a data: URI (RFC 2397).
	Data func(uri string) (mediaType string, body []byte, err error)
	// Images keeps images. Nil: images are not fetched.
	Images Images

	// Concurrency is how many wants are asked for at the same time: so many of contracts and so many of documents. Of
	// images, which are large, it is an eighth. Default 64.
	Concurrency int
	// Interval at which to look for wants that are due, besides when a projection says that it moved. Default 200 ms.
	Interval time.Duration
	// DocumentLimit and ImageLimit bound the body of a response, in bytes; defaults 1,000,000 and 10,000,000.
	DocumentLimit, ImageLimit int64
	// NodeTimeout bounds one call of a node; default 10 s.
	NodeTimeout time.Duration
	// AttemptTimeout bounds all requests of one attempt; what is not answered by then counts as timed out. Default
	// 90 s.
	AttemptTimeout time.Duration
	// RecordTimeout is how long a finished attempt waits for a database that is away, before it is forgotten and made
	// again. Default 30 s.
	RecordTimeout time.Duration
	// RescueAfter is how long after its start a job counts as lost, because its process was killed, and is done by
	// another. More than four thirds of AttemptTimeout and RecordTimeout together, which is where the default comes from,
	// plus a minute.
	RescueAfter time.Duration
	// Grace is how long requests may go on when Run is told to stop; default 10 s.
	Grace time.Duration

	Logger   *slog.Logger
	Registry prometheus.Registerer
}

// Defaults of Config.
const (
	ConcurrencyDefault          = 64
	IntervalDefault             = 200 * time.Millisecond
	DocumentLimitDefault  int64 = 1_000_000
	ImageLimitDefault     int64 = 10_000_000
	NodeTimeoutDefault          = 10 * time.Second
	AttemptTimeoutDefault       = 90 * time.Second
	RecordTimeoutDefault        = 30 * time.Second
	GraceDefault                = 10 * time.Second
	rescueMarginDefault         = time.Minute
)

// Candidate is a place where a resource can be asked for.
type Candidate struct {
	// URL to ask.
	URL string
	// Gateway is the base URL through which a URI of another scheme is reached; empty when the URL is the URI itself.
	Gateway string
}

// Web asks for resources.
type Web interface {
	// Get asks one candidate after the other until one answers well, and returns every exchange; the last one counts.
	// A body larger than limit bytes is a failure of its exchange. It returns soon after ctx is done.
	Get(ctx context.Context, candidates []Candidate, limit int64, accept string) []fetch.Exchange
}

// Images keeps images.
type Images interface {
	// Keep stores the bytes of an image and says what they show. An error means that they are no image that can be
	// shown, unless it is ErrUnavailable.
	Keep(ctx context.Context, body []byte) (fetch.ImageFacts, error)
}

// ErrUnavailable is what Images.Keep returns, wrapped, when images can't be kept now, whatever they are. The attempt is
// then forgotten and made again.
var ErrUnavailable = errors.New("images can't be kept now")

func (c Config) withDefaults() Config {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	c.Concurrency = orDefault(c.Concurrency, ConcurrencyDefault)
	c.Interval = orDefault(c.Interval, IntervalDefault)
	c.DocumentLimit = orDefault(c.DocumentLimit, DocumentLimitDefault)
	c.ImageLimit = orDefault(c.ImageLimit, ImageLimitDefault)
	c.NodeTimeout = orDefault(c.NodeTimeout, NodeTimeoutDefault)
	c.AttemptTimeout = orDefault(c.AttemptTimeout, AttemptTimeoutDefault)
	c.RecordTimeout = orDefault(c.RecordTimeout, RecordTimeoutDefault)
	c.RescueAfter = orDefault(c.RescueAfter, c.jobTimeout()+rescueMarginDefault)
	c.Grace = orDefault(c.Grace, GraceDefault)
	return c
}

func orDefault[T int | int64 | time.Duration](value, otherwise T) T {
	if value <= 0 {
		return otherwise
	}
	return value
}

// turnTimeout is how long a job waits until it may make requests, before it goes back to the queue. All that have their turn
// would have to take long.
func (c Config) turnTimeout() time.Duration { return c.AttemptTimeout / 3 }

// jobTimeout bounds an attempt together with the waiting for its turn, and its recording.
func (c Config) jobTimeout() time.Duration {
	return c.turnTimeout() + c.AttemptTimeout + c.RecordTimeout
}

func (c Config) validate() error {
	switch {
	case c.Log == nil:
		return errors.New("metadata: there is no log to write to")
	case c.Web == nil || c.Resolve == nil || c.Data == nil:
		return errors.New("metadata: Web, Resolve and Data are needed to get documents")
	case c.RescueAfter <= c.jobTimeout():
		return fmt.Errorf("metadata: a job can't count as lost after %s when it may take %s", c.RescueAfter, c.jobTimeout())
	}
	return nil
}

// parseNode reads a node's base URL.
func parseNode(raw string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimRight(raw, "/"))
	if err != nil {
		var parse *url.Error
		if errors.As(err, &parse) {
			err = parse.Err // without the URL, which may hold a password
		}
		return nil, fmt.Errorf("metadata: a node's URL can't be read: %w", err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("metadata: want a node's URL such as http://127.0.0.1:20443, got %q", u.Redacted())
	}
	return u, nil
}
