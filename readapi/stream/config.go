package stream

import (
	"time"

	"strata/domain/bns"
)

// Config configures streams and WebSockets. The zero value of a field means its default.
type Config struct {
	// Most is the maximum number of open streams and WebSockets; default 20,000.
	Most int
	// PerClient is the maximum number of them for one client; default unlimited.
	PerClient int
	// Queue is the maximum number of messages that wait for one client; default 1024.
	Queue int
	// Heartbeat is the interval at which an idle stream sends a comment; default 15 s.
	Heartbeat time.Duration
	// WriteTimeout is how long a client may take to read what is sent to it; default 10 s.
	WriteTimeout time.Duration
	// PingInterval is the interval at which clients of WebSockets are pinged, and how long they may take to answer; default
	// 5 s.
	PingInterval time.Duration
	// Names are the contracts of BNS-V2; by default those of mainnet and testnet.
	Names bns.Contracts
}

// Defaults of Config.
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
