package cache

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"strata/internal/edge"
)

// Timeouts of connections, unless the URL sets others (dial_timeout, read_timeout, write_timeout, pool_timeout). They are
// short because a miss costs less than waiting.
const (
	DialTimeoutDefault = 500 * time.Millisecond
	ReadTimeoutDefault = 100 * time.Millisecond // also for writing
	PoolTimeoutDefault = 50 * time.Millisecond
)

// Bounds of the sizes in a URL; go-redis panics on nonsensical ones.
const (
	poolSizeMax   = 10_000
	bufferSizeMax = 16 << 20
)

// Open returns a client for the Redis at a URL. It connects when it is first used.
//
//	redis://user:password@host:6379/0        one server
//	rediss://…                               with TLS
//	unix:///path/to/redis.sock?db=0          through a Unix socket
//	redis://host:26379?master_name=main      the master that sentinels name; addr=host:port adds a sentinel
//	redis://host:6379?addr=host2:6379        a cluster, with several nodes to start from
//	redis://host:6379?cluster=true           a cluster, with one node to start from
//
// Further parameters are go-redis's (pool_size=20, read_timeout=50ms, …). Errors quote the URL without user, password and
// parameters.
func Open(rawURL string) (*Client, error) {
	connect, err := parseURL(rawURL)
	if err != nil {
		return nil, err
	}
	// go-redis would log a line for each failed dial. The calls return the same errors.
	redis.SetLogger(silence{})
	return &Client{server{connect()}}, nil
}

// parseURL returns a function that creates the client.
func parseURL(rawURL string) (connect func() redis.UniversalClient, err error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		// The error quotes neither the URL nor the cause, because the mistake may well be in the password.
		return nil, errors.New("the Redis URL can't be parsed; special characters in a password must be percent-encoded")
	}
	query := u.Query()
	cluster := query.Has("addr")
	if value := query.Get("cluster"); value != "" {
		if value != "true" && value != "false" {
			return nil, fmt.Errorf("the Redis URL %s has a parameter cluster that is neither true nor false", shown(u))
		}
		cluster = cluster || value == "true"
	}
	query.Del("cluster")
	u.RawQuery = query.Encode()
	switch {
	case query.Has("master_name"):
		connect, err = parseSentinels(u.String())
	case cluster:
		connect, err = parseCluster(u.String())
	default:
		connect, err = parseServer(u.String())
	}
	if err != nil && mayLeakPassword(rawURL, u) {
		return nil, fmt.Errorf("the Redis URL %s is wrong somewhere; special characters in a password must be percent-encoded", shown(u))
	}
	if err != nil {
		return nil, fmt.Errorf("the Redis URL %s is wrong: %w", shown(u), err)
	}
	return connect, nil
}

// shown returns the part of a URL that identifies the server and holds no secret.
func shown(u *url.URL) string {
	if u.User != nil || !strings.Contains(u.String(), "@") {
		return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
	}
	return u.Scheme + "://…" // the apparent host may be part of a password that contains a slash or a question mark
}

// mayLeakPassword reports whether an error may quote a part of a password, because the password contains a character that ends
// it too early, or because it is one of the parameters.
func mayLeakPassword(rawURL string, u *url.URL) bool {
	ats := strings.Count(rawURL, "@")
	return ats > 1 || ats == 1 && u.User == nil || u.Query().Has("password")
}

func parseServer(rawURL string) (func() redis.UniversalClient, error) {
	o, err := redis.ParseURL(rawURL)
	if err != nil {
		return nil, err
	}
	if err := (sizes{o.PoolSize, o.MinIdleConns, o.MaxIdleConns, o.MaxActiveConns, o.MaxConcurrentDials,
		o.PipelinePoolSize, o.PipelineReadBufferSize, o.PipelineWriteBufferSize}).check(); err != nil {
		return nil, err
	}
	tight(&o.DialTimeout, &o.ReadTimeout, &o.WriteTimeout, &o.PoolTimeout, &o.MaxRetries)
	o.DialerRetries, o.ContextTimeoutEnabled, o.DisableIdentity = 1, true, true
	o.MaintNotificationsConfig = noNotifications()
	onePool(&o.PipelinePoolSize)
	if o.TLSConfig == nil {
		o.Dialer = edge.Dial(&net.Dialer{Timeout: o.DialTimeout})
	}
	return func() redis.UniversalClient { return redis.NewClient(o) }, nil
}

func parseSentinels(rawURL string) (func() redis.UniversalClient, error) {
	o, err := redis.ParseFailoverURL(rawURL)
	if err != nil {
		return nil, err
	}
	if o.MasterName == "" {
		return nil, errors.New("master_name is empty")
	}
	if err := (sizes{o.PoolSize, o.MinIdleConns, o.MaxIdleConns, o.MaxActiveConns, o.MaxConcurrentDials,
		o.PipelinePoolSize, o.PipelineReadBufferSize, o.PipelineWriteBufferSize}).check(); err != nil {
		return nil, err
	}
	tight(&o.DialTimeout, &o.ReadTimeout, &o.WriteTimeout, &o.PoolTimeout, &o.MaxRetries)
	o.DialerRetries, o.ContextTimeoutEnabled, o.DisableIdentity = 1, true, true
	onePool(&o.PipelinePoolSize)
	if o.RouteByLatency || o.RouteRandomly {
		return func() redis.UniversalClient { return redis.NewFailoverClusterClient(o) }, nil
	}
	return func() redis.UniversalClient { return redis.NewFailoverClient(o) }, nil
}

func parseCluster(rawURL string) (func() redis.UniversalClient, error) {
	o, err := redis.ParseClusterURL(rawURL)
	if err != nil {
		return nil, err
	}
	if err := (sizes{o.PoolSize, o.MinIdleConns, o.MaxIdleConns, o.MaxActiveConns, o.MaxConcurrentDials,
		o.PipelinePoolSize, o.PipelineReadBufferSize, o.PipelineWriteBufferSize}).check(); err != nil {
		return nil, err
	}
	tight(&o.DialTimeout, &o.ReadTimeout, &o.WriteTimeout, &o.PoolTimeout, &o.MaxRetries)
	o.DialerRetries, o.ContextTimeoutEnabled, o.DisableIdentity = 1, true, true
	o.MaintNotificationsConfig = noNotifications()
	onePool(&o.PipelinePoolSize)
	return func() redis.UniversalClient { return redis.NewClusterClient(o) }, nil
}

// tight sets what the URL doesn't set: short timeouts, and no retries.
func tight(dial, read, write, pool *time.Duration, retries *int) {
	for timeout, otherwise := range map[*time.Duration]time.Duration{
		dial: DialTimeoutDefault, read: ReadTimeoutDefault, write: ReadTimeoutDefault, pool: PoolTimeoutDefault,
	} {
		if *timeout == 0 {
			*timeout = otherwise
		}
	}
	if *retries == 0 {
		*retries = -1 // go-redis's value for none
	}
}

// onePool disables go-redis's second pool, which is for pipelines: here, everything is a pipeline.
func onePool(size *int) {
	if *size == 0 {
		*size = -1
	}
}

// noNotifications saves a round trip for each new connection: only hosted Redis Enterprise sends maintenance notifications.
func noNotifications() *maintnotifications.Config {
	return &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
}

// sizes are the sizes that a URL may set.
type sizes struct{ pool, idleMin, idleMax, active, dials, pipelinePool, readBuffer, writeBuffer int }

func (s sizes) check() error {
	for _, size := range []struct {
		parameter string
		value     int
		min, max  int
	}{
		{"pool_size", s.pool, 0, poolSizeMax},
		{"min_idle_conns", s.idleMin, 0, poolSizeMax},
		{"max_idle_conns", s.idleMax, 0, poolSizeMax},
		{"max_active_conns", s.active, 0, poolSizeMax},
		{"max_concurrent_dials", s.dials, 0, poolSizeMax},
		{"pipeline_pool_size", s.pipelinePool, -1, poolSizeMax},
		{"pipeline_read_buffer_size", s.readBuffer, 0, bufferSizeMax},
		{"pipeline_write_buffer_size", s.writeBuffer, 0, bufferSizeMax},
	} {
		if size.value < size.min || size.value > size.max {
			return fmt.Errorf("%s is %d, not within %d and %d", size.parameter, size.value, size.min, size.max)
		}
	}
	return nil
}

// silence is a logger for go-redis.
type silence struct{}

// Printf prints nothing.
func (silence) Printf(context.Context, string, ...any) {}
