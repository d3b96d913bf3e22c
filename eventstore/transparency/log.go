package transparency

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/transparency-dev/formats/note"
	sumdb "golang.org/x/mod/sumdb/note"

	"strata/eventstore"
)

// Config of a Log.
type Config struct {
	// Pool is the database that the log is in.
	Pool *pgxpool.Pool
	// Reads is where answers are read from, such as a replica; default Pool.
	Reads *pgxpool.Pool
	// Logger for what an operator should know; default none.
	Logger *slog.Logger
	// Key signs checkpoints; default none: the process serves what others sign, and writes subtrees if it runs.
	Key *Key
	// TakeOver says that Key may sign although the newest checkpoint is of another key: the operator chose it.
	TakeOver bool
	// MemoryFile is where the last checkpoint that Key has signed is remembered; default nowhere. It belongs to the key,
	// not to the database.
	MemoryFile string
	// Witnesses are the verifier keys of those whose cosignatures are taken.
	Witnesses []string
	// Interval is the least time between two checkpoints; default IntervalDefault.
	Interval time.Duration
}

// IntervalDefault is the default of Config.Interval.
const IntervalDefault = 10 * time.Second

// Log is the log of a database as a transparency log. It is safe for concurrent use.
type Log struct {
	config    Config
	witnesses []sumdb.Verifier
	metrics   *metrics // nil: none
}

// New makes a Log; it does not touch the database, which must be migrated. It fails for a witness's key that can't be
// read.
func New(config Config) (*Log, error) {
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	if config.Reads == nil {
		config.Reads = config.Pool
	}
	if config.Interval <= 0 {
		config.Interval = IntervalDefault
	}
	l := &Log{config: config}
	for _, key := range config.Witnesses {
		verifier, err := note.NewVerifierForCosignatureV1(key)
		if err != nil {
			return nil, fmt.Errorf("verifier key of a witness %q: %w", key, err)
		}
		l.witnesses = append(l.witnesses, verifier)
	}
	return l, nil
}

// database is what is asked of a pool, and of a transaction.
type database interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// head is how long the log is, and the frontier that was made when its events were appended.
type head struct {
	size     int64
	frontier []byte
}

// root of the tree over all events.
func (h *head) root() ([]byte, error) {
	frontier, err := eventstore.DecodeFrontier(h.size, h.frontier)
	if err != nil {
		return nil, err
	}
	return frontier.Root()
}

func readHead(ctx context.Context, db database) (*head, error) {
	var (
		h       head
		version int
	)
	if err := db.QueryRow(ctx, `SELECT size, leaf_version, frontier FROM log.head`).Scan(&h.size, &version, &h.frontier); err != nil {
		return nil, fmt.Errorf("read the log's head: %w", err)
	}
	if version != eventstore.LeafVersion {
		return nil, fmt.Errorf("the log's leaves have version %d, this program knows version %d: use a newer program", version, eventstore.LeafVersion)
	}
	return &h, nil
}
