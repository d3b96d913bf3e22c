package proxy

import (
	"context"
	"sync"
	"time"
)

// memory is a Cache in a map, which forgets nothing but what is too old.
type memory struct {
	mu     sync.Mutex
	values map[[32]byte]remembered
	sets   int
	// elsewhere is what other processes have set.
	elsewhere map[[32]byte][]byte
	finds     int
}

type remembered struct {
	value []byte
	until time.Time
}

func newMemory() *memory { return &memory{values: map[[32]byte]remembered{}} }

func (m *memory) Get(key [32]byte) ([]byte, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	found, ok := m.values[key]
	return found.value, ok && time.Now().Before(found.until)
}

func (m *memory) Find(_ context.Context, key [32]byte) ([]byte, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.finds++
	value, ok := m.elsewhere[key]
	return value, ok
}

func (m *memory) Set(key [32]byte, value []byte, ttl time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sets++
	m.values[key] = remembered{value, time.Now().Add(ttl)}
}
