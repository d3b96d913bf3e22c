package transparency

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/transparency-dev/formats/note"
	sumdb "golang.org/x/mod/sumdb/note"

	"strata/eventstore"
)

// Config configures a Log. Pool is required; the zero value of any other field means its default.
type Config struct {
	// Pool is the database of the log.
	Pool *pgxpool.Pool
	// Reads is the database to answer clients from, such as a replica; default Pool.
	Reads *pgxpool.Pool
	// Logger is for operators; default none.
	Logger *slog.Logger
	// Key signs checkpoints. Without a key, the process serves the checkpoints of others, and Run only writes subtrees.
	Key *Key
	// TakeOver allows Key to sign although another key signed the newest checkpoint: the operator chose it.
	TakeOver bool
	// MemoryFile stores the last checkpoint that Key signed; default none. It belongs to the key, not to the database.
	MemoryFile string
	// Witnesses are the verifier keys of the witnesses whose cosignatures Cosign accepts.
	Witnesses []string
	// Interval is the minimum time between two checkpoints; default IntervalDefault.
	Interval time.Duration
	// Patience is for how long others wait for a process that is frozen while it signs; default locks.PatienceDefault.
	Patience time.Duration
	// Listener receives the notifications of Pool; default one of its own, which takes a connection while Run runs.
	Listener *eventstore.Listener
}

// IntervalDefault is the default of Config.Interval.
const IntervalDefault = 10 * time.Second

// Log presents the log of a database as a transparency log. It is safe for concurrent use.
type Log struct {
	config    Config
	witnesses []sumdb.Verifier
	metrics   *metrics // nil: none
	trouble   atomic.Pointer[error]
}

// New returns a Log on a migrated database, which it does not access yet. It fails if it can't parse the key of a
// witness.
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
	if config.Listener == nil {
		config.Listener = eventstore.NewListener(config.Pool, config.Logger)
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

// Key returns the key that signs checkpoints; nil for none.
func (l *Log) Key() *Key { return l.config.Key }

// database is a pool or a transaction.
type database interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// head is the row of log.head: the log's size, and the frontier from when its events were appended.
type head struct {
	size     int64
	frontier []byte
}

// root returns the Merkle root over all events.
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
