package fanout

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"strata/eventstore"
	"strata/internal/instrument"
	"strata/internal/pause"
)

// Mirror keeps a copy of a log in another database: the same events at the same positions. Each is there once, as its position is
// checked in the transaction that appends it.
type Mirror struct {
	reader   ReaderConfig
	own      *eventstore.Log
	full     func() bool
	logger   *slog.Logger
	position prometheus.Gauge
}

// NewMirror returns a mirror that fills own, which nobody else fills. full reports whether the disk of own has too little space
// for more events; nil for never.
func NewMirror(reader ReaderConfig, own *eventstore.Log, full func() bool, registry prometheus.Registerer) *Mirror {
	if full == nil {
		full = func() bool { return false }
	}
	logger := reader.Logger
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	return &Mirror{reader, own, full, logger, instrument.Registered(registry, prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "strata_mirror_position", Help: "The position of the last event that the copy of the log has.",
	}))}
}

// Check returns an error if the own log is not a beginning of the other one: one of them was filled by somebody else.
func (m *Mirror) Check(ctx context.Context) error {
	size, root, err := m.own.Checkpoint(ctx)
	if err != nil || size == 0 {
		return err
	}
	of, err := m.reader.Log.Size(ctx)
	if err != nil {
		return err
	}
	if of < size {
		return fmt.Errorf("the copy has %d events, and the log that it is a copy of has %d: that log has lost events, or is another one", size, of)
	}
	// The last event tells them apart: its digest, its sender and its time are the same in a copy alone.
	ours, err := m.own.Get(ctx, size, false)
	if err != nil {
		return err
	}
	theirs, err := m.reader.Log.Get(ctx, size, false)
	if err != nil {
		return err
	}
	if ours.SHA256 != theirs.SHA256 || ours.Source != theirs.Source || !ours.ReceivedAt.Equal(theirs.ReceivedAt) || ours.Path != theirs.Path {
		return fmt.Errorf("event %d of this log (root %x) is not that of the log to copy: give the copy a database of its own", size, root)
	}
	return nil
}

// Run copies until ctx ends.
func (m *Mirror) Run(ctx context.Context) {
	for ctx.Err() == nil {
		if err := m.copy(ctx); err != nil && ctx.Err() == nil {
			m.logger.LogAttrs(ctx, slog.LevelWarn, "can't copy the log; trying again", slog.Any("error", err))
			pause.For(ctx, retryPause)
		}
	}
}

// copy goes on where the copy stands, until an error.
func (m *Mirror) copy(ctx context.Context) error {
	last, err := m.own.Size(ctx)
	if err != nil {
		return err
	}
	reading, stop := context.WithCancel(ctx)
	defer stop()
	reader := NewReader(m.reader, last)
	go reader.Run(reading)
	for {
		m.position.Set(float64(last))
		events, err := reader.Next(ctx)
		if err != nil {
			return err
		}
		for m.full() && ctx.Err() == nil {
			pause.For(ctx, time.Second)
		}
		batch := make([]eventstore.Incoming, len(events))
		for i, e := range events {
			batch[i] = eventstore.Incoming{
				ReceivedAt: e.ReceivedAt, Source: e.Source, Path: e.Path, ContentType: e.ContentType, Origin: e.Origin, Body: eventstore.NewBody(e.Body),
			}
		}
		_, err = m.own.AppendBatch(ctx, batch, func(_ pgx.Tx, first int64) error {
			if first != last+1 {
				return fmt.Errorf("somebody else appends to the copy: its next position is %d, not %d", first, last+1)
			}
			return nil
		})
		if err != nil {
			return err
		}
		last += int64(len(events))
	}
}
