package follow

import (
	"context"

	"strata/projections"
)

// source is an input of followers: the log, or the steps of a version of a leader.
type source[T projections.Item] interface {
	// head returns the newest position.
	head(ctx context.Context) (int64, error)
	// final reports whether a follower at the head has caught up. It has not while the writer of the items is itself
	// far behind.
	final(ctx context.Context) (bool, error)
	// read returns the next items in order, and the size of their content; none at the end.
	read(ctx context.Context, after int64) (items []T, bytes int64, err error)
	// announced reports whether a position is known to be the newest, so that a read would find nothing.
	announced(position int64) bool
	// grown returns a channel that is closed when there may be more to read. Take it before reading.
	grown() <-chan struct{}
	// wait blocks until that channel is closed, or it is time to look without a notification.
	wait(ctx context.Context, grown <-chan struct{})
}

// Bounds of one batch, which is one transaction when a projection is far behind. Up to four decoded batches are held at
// the same time: one being read, one being folded by the leader, one waiting for the followers, and one that they fold.
const (
	batchItems = 2000
	batchBytes = 4 << 20
)
