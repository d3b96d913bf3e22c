package fanout

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// StreamConfig says which stream has the log. The zero value of a field means its default.
type StreamConfig struct {
	// Name is the name of the stream; default STRATA_LOG.
	Name string
	// Replicas is the number of servers that have each message before it counts; default 1.
	Replicas int
	// Keep is how long, and KeepBytes how much, the stream remembers; defaults 24 h and 1 GiB. Consumers that come later read the log.
	Keep      time.Duration
	KeepBytes int64
}

// Defaults of StreamConfig.
const (
	NameDefault      = "STRATA_LOG"
	SubjectDefault   = "strata.log" // of the stream with the default name
	KeepDefault      = 24 * time.Hour
	KeepBytesDefault = 1 << 30
)

func (c StreamConfig) withDefaults() StreamConfig {
	if c.Name == "" {
		c.Name = NameDefault
	}
	if c.Replicas <= 0 {
		c.Replicas = 1
	}
	if c.Keep <= 0 {
		c.Keep = KeepDefault
	}
	if c.KeepBytes <= 0 {
		c.KeepBytes = KeepBytesDefault
	}
	return c
}

// subject returns what the messages of a new stream are published to. Two streams of one account can't have the same.
func (c StreamConfig) subject() string {
	if c.Name == NameDefault {
		return SubjectDefault
	}
	return SubjectDefault + "." + c.Name
}

// subjectOf returns what messages for a stream are published to, which its operator may have chosen: the first of its subjects that
// is no pattern.
func (c StreamConfig) subjectOf(stream jetstream.Stream) string {
	for _, subject := range stream.CachedInfo().Config.Subjects {
		if !strings.ContainsAny(subject, "*>") {
			return subject
		}
	}
	return c.subject()
}

// Connect connects to NATS, and again whenever the connection breaks. urls are those of some servers of the cluster, separated by
// commas. It does not wait for a server.
// credentials is a file with the credentials of an account; empty for none.
func Connect(urls, credentials string) (*nats.Conn, error) {
	options := []nats.Option{nats.Name("strata"), nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true),
		nats.ReconnectWait(250 * time.Millisecond), nats.ReconnectBufSize(-1)}
	if credentials != "" {
		options = append(options, nats.UserCredentials(credentials))
	}
	conn, err := nats.Connect(urls, options...)
	if err != nil {
		return nil, fmt.Errorf("connect to NATS: %w", err)
	}
	return conn, nil
}

// open returns the stream, and makes it if it is not there. One that is there stays as it is.
func (c StreamConfig) open(ctx context.Context, js jetstream.JetStream) (jetstream.Stream, error) {
	stream, err := js.Stream(ctx, c.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		stream, err = js.CreateStream(ctx, jetstream.StreamConfig{
			Name: c.Name, Description: "the log of Strata, event by event", Subjects: []string{c.subject()}, Replicas: c.Replicas,
			Storage: jetstream.FileStorage, Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardOld,
			MaxAge: c.Keep, MaxBytes: c.KeepBytes, DenyDelete: true,
		})
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // another process was faster
			stream, err = js.Stream(ctx, c.Name)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("open the stream %s: %w", c.Name, err)
	}
	return stream, nil
}
