package cache

import "time"

// Value is a finished answer. All callers share it, so it must not change.
type Value interface {
	// Weight returns the memory that the value holds, in bytes. When it grows, call Cache.Reweigh.
	Weight() int
	// AppendBinary appends the form that Config.Parse reads.
	AppendBinary(b []byte) []byte
}

// Made is the result of a maker.
type Made[V Value] struct {
	// Key is the key under which to cache the value. It need not be among the requested keys.
	Key Key
	// Value is for the caller and all callers that wait with it.
	Value V
	// Keep allows caching the value. Without it, or without a Key, only the callers that wait now get the value.
	Keep bool
	// TTL is the value's time to live in Redis; zero means Config.TTL. Use TTLImmutable for a value that never changes.
	TTL time.Duration
}

// kept reports whether the value is to be cached.
func (m *Made[V]) kept() bool { return m.Keep && m.Key != (Key{}) }
