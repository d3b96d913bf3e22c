package cache

import (
	"context"
	"time"
)

// Client is a client of the Redis that processes share, for any number of caches.
//
// It hides go-redis. A package that sees a type of go-redis which refers to its client compiles eight thousand functions for
// that client anew; with a redis.UniversalClient in a configuration, that would be every package of the API and each of its
// tests. See docs/decisions/038-large-generic-libraries.md.
type Client struct{ commands }

// commands is what is asked of Redis. Each takes one round trip.
type commands interface {
	// get returns the values of names; nil stands for a value that is not there.
	get(ctx context.Context, names []string) ([][]byte, error)
	// getTimed returns a value, or nil, and how long it will be there.
	getTimed(ctx context.Context, name string) (value []byte, left time.Duration, err error)
	// lock gives a turn that nobody has, which ends after ttl, and then gets values.
	lock(ctx context.Context, mine turn, ttl time.Duration, names []string) (won bool, values [][]byte, err error)
	// held reports whether somebody has the turn with this lock, and then gets values.
	held(ctx context.Context, lock string, names []string) (held bool, values [][]byte, err error)
	// write executes a job.
	write(ctx context.Context, j job) error
	info(ctx context.Context, sections []string) (map[string]map[string]string, error)
	close() error
}

// Info returns what Redis tells of itself: by section, and by name.
func (c *Client) Info(ctx context.Context, sections ...string) (map[string]map[string]string, error) {
	return c.info(ctx, sections)
}

// Close closes all connections.
func (c *Client) Close() error { return c.close() }
