package stream

import (
	"time"
)

// streamConfig of streams; the zero value of any field means its default.
type Config struct {
	// Most is how many connections may follow what happens; default 20,000.
	Most int
	// Queue is how many messages may wait for a client that follows what happens; default 1024.
	Queue int
	// Heartbeat is how often a stream that has nothing to say says so; default 15 s.
	Heartbeat time.Duration
	// WriteTimeout is how long a client may leave what is sent to it unread; default 10 s.
	WriteTimeout time.Duration
	// PingInterval is how often clients of WebSockets are pinged, and for how long their answer is waited for; default 5 s.
	PingInterval time.Duration
}

// Defaults of streamConfig.
const (
	heartbeatDefault    = 15 * time.Second
	writeTimeoutDefault = 10 * time.Second
	pingIntervalDefault = 5 * time.Second
)

func (c Config) withDefaults() Config {
	if c.Heartbeat <= 0 {
		c.Heartbeat = heartbeatDefault
	}
	if c.WriteTimeout <= 0 {
		c.WriteTimeout = writeTimeoutDefault
	}
	if c.PingInterval <= 0 {
		c.PingInterval = pingIntervalDefault
	}
	return c
}
