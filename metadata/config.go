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
	"strata/metadata/internal/web"
)

// Config configures the role. The zero value of a field selects its default, if it has one.
type Config struct {
	// Log gets the reports. Its database has the wants, and gets a schema for this role.
	Log *eventstore.Log
	// Nodes are base URLs of the RPC of Stacks nodes, which get requests in turn. Without nodes, contracts are not
	// read.
	Nodes []string
	// Web fetches documents and images.
	Web Web
	// Resolve returns the places from which a URI can be fetched, the best first. An error means that there is none.
	Resolve func(uri string) ([]Candidate, error)
	// Data decodes a data: URI (RFC 2397).
	Data func(uri string) (mediaType string, body []byte, err error)
	// Images stores images. If nil, images are not fetched.
	Images Images

	// Concurrency is the maximum number of contracts that are read at the same time, and the maximum number of
	// documents that are fetched at the same time. For images, which are large, the maximum is an eighth of it. Default
	// 64.
	Concurrency int
	// Interval is the time between two passes over the wants, unless a projection notifies of a change earlier. Default 1 s.
	Interval time.Duration
	// DocumentLimit and ImageLimit bound the body of a response, in bytes; defaults 1,000,000 and 10,000,000.
	DocumentLimit, ImageLimit int64
	// ContractFetches and ContractBytes bound what one contract may cause to be fetched in a day (UTC): reports, and bytes of
	// their events. Then it rests until the next day, unless a person asks. Defaults 50,000 and 64 MiB.
	ContractFetches, ContractBytes int64
	// NodeTimeout bounds one request to a node; default 10 s.
	NodeTimeout time.Duration
	// AttemptTimeout bounds all requests of one attempt together. A request without an answer by then counts as timed
	// out. Default 90 s.
	AttemptTimeout time.Duration
	// RecordTimeout is how long a finished attempt waits for an unreachable database. After that its result is dropped,
	// and the attempt is made again. Default 30 s.
	RecordTimeout time.Duration
	// RescueAfter is how long a worker has a want to itself. If its process was killed, another worker gets the want then. It must
	// be more than workTimeout, which is four thirds of AttemptTimeout plus RecordTimeout. Default: a minute more than that.
	RescueAfter time.Duration
	// Grace is how long requests may go on after Run is told to stop; default 10 s.
	Grace time.Duration

	// Full reports whether the disk of the database has too little space for more reports; nil for never. Meanwhile nothing is
	// fetched: what came would be lost, or fill the rest of the disk.
	Full func() bool

	Logger   *slog.Logger
	Registry prometheus.Registerer
}

// Default values of Config.
const (
	ConcurrencyDefault           = 64
	IntervalDefault              = time.Second
	DocumentLimitDefault   int64 = 1_000_000
	ImageLimitDefault      int64 = 10_000_000
	ContractFetchesDefault int64 = 50_000
	ContractBytesDefault   int64 = 64 << 20
	NodeTimeoutDefault           = 10 * time.Second
	AttemptTimeoutDefault        = 90 * time.Second
	RecordTimeoutDefault         = 30 * time.Second
	GraceDefault                 = 10 * time.Second
	rescueMarginDefault          = time.Minute
)

// Candidate is a place from which a resource can be fetched.
type Candidate = web.Candidate

// Check reports whether a complete answer has brought what is wanted.
type Check = web.Check

// Web fetches resources.
type Web interface {
	// Get tries one candidate after the other until one brings what passes check, and returns all exchanges. The last one
	// is the result. An exchange with a body larger than limit bytes fails. Get returns soon after ctx is done.
	Get(ctx context.Context, candidates []Candidate, limit int64, accept string, check Check) []fetch.Exchange
}

// Images stores images.
type Images interface {
	// Keep stores the bytes of an image and returns facts about it. An error other than ErrUnavailable means that the
	// bytes are not an acceptable image; picture.ErrUnsupported, that they are one of a format without a decoder.
	Keep(ctx context.Context, body []byte) (fetch.ImageFacts, error)
}

// ErrUnavailable is wrapped by the errors of Images.Keep if no image can be stored at the moment. The result of the
// attempt is then dropped, and the attempt is made again.
var ErrUnavailable = errors.New("images can't be stored at the moment")

func (c Config) withDefaults() Config {
	if c.Full == nil {
		c.Full = func() bool { return false }
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	c.Concurrency = orDefault(c.Concurrency, ConcurrencyDefault)
	c.ContractFetches = orDefault(c.ContractFetches, ContractFetchesDefault)
	c.ContractBytes = orDefault(c.ContractBytes, ContractBytesDefault)
	c.Interval = orDefault(c.Interval, IntervalDefault)
	c.DocumentLimit = orDefault(c.DocumentLimit, DocumentLimitDefault)
	c.ImageLimit = orDefault(c.ImageLimit, ImageLimitDefault)
	c.NodeTimeout = orDefault(c.NodeTimeout, NodeTimeoutDefault)
	c.AttemptTimeout = orDefault(c.AttemptTimeout, AttemptTimeoutDefault)
	c.RecordTimeout = orDefault(c.RecordTimeout, RecordTimeoutDefault)
	c.RescueAfter = orDefault(c.RescueAfter, c.workTimeout()+rescueMarginDefault)
	c.Grace = orDefault(c.Grace, GraceDefault)
	return c
}

func orDefault[T int | int64 | time.Duration](value, otherwise T) T {
	if value <= 0 {
		return otherwise
	}
	return value
}

// slotTimeout is how long a worker waits for its turn to make requests, before it gives the want back. It only waits that long
// if the attempts before it are slow.
func (c Config) slotTimeout() time.Duration { return c.AttemptTimeout / 3 }

// workTimeout bounds the time of a worker: the wait for its turn, the attempt, and recording its result.
func (c Config) workTimeout() time.Duration {
	return c.slotTimeout() + c.AttemptTimeout + c.RecordTimeout
}

func (c Config) validate() error {
	switch {
	case c.Log == nil:
		return errors.New("metadata: the configuration has no Log")
	case c.Web == nil || c.Resolve == nil || c.Data == nil:
		return errors.New("metadata: the configuration needs Web, Resolve and Data to fetch documents")
	case c.RescueAfter <= c.workTimeout():
		return fmt.Errorf("metadata: RescueAfter is %s, but a worker may take %s; raise RescueAfter or lower the timeouts", c.RescueAfter, c.workTimeout())
	}
	return nil
}

// parseNode parses a node's base URL.
func parseNode(raw string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimRight(raw, "/"))
	if err != nil {
		var parse *url.Error
		if errors.As(err, &parse) {
			err = parse.Err // without the URL, which may contain a password
		}
		return nil, fmt.Errorf("metadata: parse the URL of a node: %w", err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("metadata: want a node's URL such as http://127.0.0.1:20443, got %q", u.Redacted())
	}
	return u, nil
}
