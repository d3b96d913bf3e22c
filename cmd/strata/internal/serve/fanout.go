package serve

import (
	"context"
	"errors"
	"log/slog"

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
	NATSURL    string `name:"nats-url" env:"STRATA_NATS_URL" placeholder:"URL,..." help:"Servers of NATS with JetStream: the role fanout appends the events of the log to a stream there."`
	NATSCreds  string `name:"nats-creds" env:"STRATA_NATS_CREDS" placeholder:"FILE" help:"File with the credentials for NATS (empty = none)."`
	NATSStream string `name:"nats-stream" default:"STRATA_LOG" env:"STRATA_NATS_STREAM" help:"Name of the stream. If there is none, the role fanout makes one that keeps 24 hours and 1 GiB on one server; one that is there stays as it is."`
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
	publisher := fanout.NewPublisher(fanout.PublisherConfig{Stream: fanout.StreamConfig{Name: c.NATSStream}, Log: db.Log, Conn: conn, Wake: wake, Logger: logger, Registry: registry})
	logger.LogAttrs(ctx, slog.LevelInfo, "publishing the log", slog.String("stream", c.NATSStream))
	group.Go(func() error {
		defer conn.Close()
		defer wake.Stop()
		publisher.Run(ctx)
		return nil
	})
	return nil
}
