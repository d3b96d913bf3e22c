package serve

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"strata/cmd/strata/internal/database"
	"strata/eventstore"
	"strata/eventstore/fanout"
)

// Roles that send the log to other machines.
const (
	RoleFanout = "fanout"
	RoleMirror = "mirror"
)

// fanoutFlags configure the stream that has the log, for other machines.
type fanoutFlags struct {
	NATSURL       string        `name:"nats-url" env:"STRATA_NATS_URL" placeholder:"URL,..." help:"Servers of NATS with JetStream: the role fanout appends the events of the log to a stream there, and the role mirror reads them."`
	NATSCreds     string        `name:"nats-creds" env:"STRATA_NATS_CREDS" placeholder:"FILE" help:"File with the credentials for NATS (empty = none)."`
	NATSStream    string        `name:"nats-stream" default:"STRATA_LOG" env:"STRATA_NATS_STREAM" help:"Name of the stream."`
	NATSSubject   string        `name:"nats-subject" default:"strata.log" env:"STRATA_NATS_SUBJECT" help:"Subject of its messages."`
	NATSReplicas  int           `name:"nats-replicas" default:"1" env:"STRATA_NATS_REPLICAS" help:"Number of servers that keep each message of a stream that the role fanout makes; 3 lets one of them fail."`
	NATSKeep      time.Duration `name:"nats-keep" default:"24h" env:"STRATA_NATS_KEEP" help:"How long such a stream keeps messages. Consumers read what is older from the log."`
	NATSKeepBytes int64         `name:"nats-keep-bytes" default:"1073741824" env:"STRATA_NATS_KEEP_BYTES" help:"How many bytes such a stream keeps."`
	MirrorOf      string        `env:"STRATA_MIRROR_OF" placeholder:"URL" help:"Postgres database with the log that the role mirror copies into --database-url; a replica will do. With --nats-url, only what the stream lacks is read there."`
}

func (f *fanoutFlags) stream() fanout.StreamConfig {
	return fanout.StreamConfig{Name: f.NATSStream, Subject: f.NATSSubject, Replicas: f.NATSReplicas, Keep: f.NATSKeep, KeepBytes: f.NATSKeepBytes}
}

// checkFanout refuses roles and settings that do not go together.
func (c *Command) checkFanout() error {
	switch {
	case c.has(RoleFanout) && c.NATSURL == "":
		return errors.New("the role fanout needs servers of NATS: name them with --nats-url")
	case c.has(RoleMirror) && c.MirrorOf == "":
		return errors.New("the role mirror needs a log to copy: name its database with --mirror-of")
	case c.has(RoleMirror) && (c.has(RoleObserver) || c.has(RoleMetadata)):
		return errors.New("the role mirror copies a log, so nothing else may append to the copy: leave out the roles observer and metadata (--roles mirror,projector,api)")
	case c.MirrorOf != "" && !c.has(RoleMirror):
		return errors.New("--mirror-of is for the role mirror: add it to --roles, or leave it out")
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

// mirror copies another log into the database.
func (c *Command) mirror(ctx context.Context, group *errgroup.Group, db *database.DB, logger *slog.Logger, registry prometheus.Registerer) error {
	pool, err := database.Connect(ctx, c.MirrorOf, mirrorConnections, nil)
	if err != nil {
		return err
	}
	var conn *nats.Conn
	if c.NATSURL != "" {
		if conn, err = fanout.Connect(c.NATSURL, c.NATSCreds); err != nil {
			pool.Close()
			return err
		}
	}
	from := eventstore.Open(pool, eventstore.Config{Logger: logger})
	leave := func() {
		if conn != nil {
			conn.Close()
		}
		from.Close()
		pool.Close()
	}
	mirror := fanout.NewMirror(fanout.ReaderConfig{Stream: c.stream(), Conn: conn, Log: from, Logger: logger}, db.Log, c.disk.Short, registry)
	if err := mirror.Check(ctx); err != nil {
		leave()
		return err
	}
	logger.LogAttrs(ctx, slog.LevelInfo, "copying a log", slog.Bool("stream", conn != nil))
	group.Go(func() error {
		defer leave()
		mirror.Run(ctx)
		return nil
	})
	return nil
}

// mirrorConnections is the maximum of connections to the log that is copied.
const mirrorConnections = 2
