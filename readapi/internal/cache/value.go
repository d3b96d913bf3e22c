package cache

import "time"

// Value is a finished answer. It is shared by everybody who asks, so it must not change.
type Value interface {
	// Weight is how many bytes of memory the value holds. When it grows, the cache has to be told, see Cache.Reweigh.
	Weight() int
	// AppendBinary appends the form that Config.Parse reads.
	AppendBinary(b []byte) []byte
}

// Made is what a maker returns.
type Made[V Value] struct {
	// Key to keep the value under; it needn't be among those asked for.
	Key Key
	// Value for the caller and all who wait with it.
	Value V
	// Keep says that the value may be kept at all. Without it, or without a Key, only those who wait now get it.
	Keep bool
	// TTL of the value in Redis; zero means Config.TTL. TTLImmutable suits what never changes.
	TTL time.Duration
}

// kept says whether the value goes into the tiers.
func (m *Made[V]) kept() bool { return m.Keep && m.Key != (Key{}) }
