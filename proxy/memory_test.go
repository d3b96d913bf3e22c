package proxy

import (
	"context"
	"sync"
	"time"
)

// memory is a Cache in a map. It forgets only expired values.
type memory struct {
	mu     sync.Mutex
	values map[[32]byte]memoryEntry
	sets   int
	ttl    time.Duration // of the last set
	// elsewhere has the values of other processes, for Find.
	elsewhere map[[32]byte][]byte
	finds     int
}

type memoryEntry struct {
	value []byte
	until time.Time
}

func newMemory() *memory { return &memory{values: map[[32]byte]memoryEntry{}} }

func (m *memory) Get(key [32]byte) ([]byte, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	entry, ok := m.values[key]
	return entry.value, ok && time.Now().Before(entry.until)
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
	m.ttl = ttl
	m.values[key] = memoryEntry{value, time.Now().Add(ttl)}
}
