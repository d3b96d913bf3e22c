package serve

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"strata/cmd/strata/internal/database"
	"strata/eventstore"
	"strata/eventstore/fanout"
)

// RoleFanout is the role that sends the log to consumers on other machines.
const RoleFanout = "fanout"

// fanoutFlags configure the stream that has the log, for other machines.
type fanoutFlags struct {
	NATSURL       string        `name:"nats-url" env:"STRATA_NATS_URL" placeholder:"URL,..." help:"Servers of NATS with JetStream: the role fanout appends the events of the log to a stream there."`
	NATSCreds     string        `name:"nats-creds" env:"STRATA_NATS_CREDS" placeholder:"FILE" help:"File with the credentials for NATS (empty = none)."`
	NATSStream    string        `name:"nats-stream" default:"STRATA_LOG" env:"STRATA_NATS_STREAM" help:"Name of the stream."`
	NATSSubject   string        `name:"nats-subject" default:"strata.log" env:"STRATA_NATS_SUBJECT" help:"Subject of its messages."`
	NATSReplicas  int           `name:"nats-replicas" default:"1" env:"STRATA_NATS_REPLICAS" help:"Number of servers that keep each message of a stream that the role fanout makes; 3 lets one of them fail."`
	NATSKeep      time.Duration `name:"nats-keep" default:"24h" env:"STRATA_NATS_KEEP" help:"How long such a stream keeps messages. Consumers read what is older from the log."`
	NATSKeepBytes int64         `name:"nats-keep-bytes" default:"1073741824" env:"STRATA_NATS_KEEP_BYTES" help:"How many bytes such a stream keeps."`
}

func (f *fanoutFlags) stream() fanout.StreamConfig {
	return fanout.StreamConfig{Name: f.NATSStream, Subject: f.NATSSubject, Replicas: f.NATSReplicas, Keep: f.NATSKeep, KeepBytes: f.NATSKeepBytes}
}

// checkFanout refuses roles and settings that do not go together.
func (c *Command) checkFanout() error {
	if c.has(RoleFanout) && c.NATSURL == "" {
		return errors.New("the role fanout needs servers of NATS: name them with --nats-url")
	}
	return nil
}

// fanOut appends the log to the stream.
func (c *Command) fanOut(ctx context.Context, group *errgroup.Group, db *database.DB, logger *slog.Logger, registry prometheus.Registerer) error {
	conn, err := fanout.Connect(c.NATSURL, c.NATSCreds)
	if err != nil {
		return err
	}
	wake := db.Log.Listener().Wake(eventstore.Channel, 0)
	publisher := fanout.NewPublisher(fanout.PublisherConfig{Stream: c.stream(), Log: db.Log, Conn: conn, Wake: wake, Logger: logger, Registry: registry})
	logger.LogAttrs(ctx, slog.LevelInfo, "publishing the log", slog.String("stream", c.NATSStream))
	group.Go(func() error {
		defer conn.Close()
		defer wake.Stop()
		publisher.Run(ctx)
		return nil
	})
	return nil
}
