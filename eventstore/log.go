package eventstore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// ErrUnavailable is returned by Append when the event may not have become durable: the database could not be
// reached, is full, or refused. The sender keeps the event and sends it again.
var ErrUnavailable = errors.New("the log can't be written now")

// ErrClosed is returned by Append after Close.
var ErrClosed = errors.New("the log is closed")

// Channel is where every commit to the log is announced, with the new size as payload.
const Channel = "strata_log"

// Log is the append-only log in one database. It is safe for concurrent use; any number of processes may have one
// open on the same database.
type Log struct {
	pool   *pgxpool.Pool
	logger *slog.Logger
	queue  *queue

	mu   sync.Mutex // guards head; held while a batch is written
	head *head

	partitions partitions
}

// head is the newest state of log.head that this process knows. It may be behind another writer's.
type head struct {
	size     int64
	frontier Frontier
}

// Config of a Log. The zero value of a field means its default.
type Config struct {
	Logger *slog.Logger
	// QueueEvents is how many appends may wait before Append blocks; default 4096.
	QueueEvents int
	// BatchEvents and BatchBytes bound what shares one transaction; defaults 256 and 4 MiB.
	BatchEvents int
	BatchBytes  int64
	// Timeout of one batch, after which it is given up with ErrUnavailable; default 30 s.
	Timeout time.Duration
	// PartitionEvents is the number of positions in each partition of the table; default 1,000,000. It must
	// divide the bounds of the partitions that are there.
	PartitionEvents int64
}

// Defaults of Config.
const (
	QueueEventsDefault     = 4096
	BatchEventsDefault     = 256
	BatchBytesDefault      = 4 << 20
	TimeoutDefault         = 30 * time.Second
	PartitionEventsDefault = 1_000_000
)

// Open starts a Log on a migrated database. Close it to wait for the appends under way.
func Open(pool *pgxpool.Pool, config Config) *Log {
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	config.QueueEvents = orDefault(config.QueueEvents, QueueEventsDefault)
	config.BatchEvents = orDefault(config.BatchEvents, BatchEventsDefault)
	config.BatchBytes = orDefault(config.BatchBytes, BatchBytesDefault)
	config.Timeout = orDefault(config.Timeout, TimeoutDefault)
	config.PartitionEvents = orDefault(config.PartitionEvents, PartitionEventsDefault)
	l := &Log{pool: pool, logger: config.Logger}
	l.partitions = partitions{pool: pool, count: config.PartitionEvents}
	l.queue = newQueue(config, l.write)
	return l
}

func orDefault[T int | int64 | time.Duration](value, otherwise T) T {
	if value <= 0 {
		return otherwise
	}
	return value
}

// Append puts one event into the log and returns its position when it is durable. It blocks while the queue is
// full. On error nothing was promised: ErrUnavailable means send again, ErrRecordTooLong that it is of no use.
//
// ctx bounds the waiting for a turn: when it ends before, the event is not written. Once the event is being written
// Append returns with the result, after Config.Timeout at the latest. The log closes the body.
func (l *Log) Append(ctx context.Context, in Incoming) (int64, error) {
	if err := in.CheckTexts(); err != nil { // alone, and not with those that it would share a transaction with
		in.Body.Close()
		return 0, err
	}
	return l.queue.add(ctx, in)
}

// Close waits for the appends under way and refuses further ones. It may be called twice.
func (l *Log) Close() { l.queue.close() }

// Size is the number of committed events, which is also the position of the last one.
func (l *Log) Size(ctx context.Context) (int64, error) {
	var size int64
	if err := l.pool.QueryRow(ctx, `SELECT size FROM log.head`).Scan(&size); err != nil {
		return 0, fmt.Errorf("read the log's head: %w", err)
	}
	return size, nil
}

// Checkpoint is the committed size of the log and the Merkle root over exactly these events.
func (l *Log) Checkpoint(ctx context.Context) (size int64, root []byte, err error) {
	h, err := readHead(ctx, l.pool, ``)
	if err != nil {
		return 0, nil, err
	}
	root, err = h.frontier.Root()
	return h.size, root, err
}

// Pool is the database that the log is in.
func (l *Log) Pool() *pgxpool.Pool { return l.pool }

type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func readHead(ctx context.Context, q querier, lock string) (*head, error) {
	var (
		size     int64
		version  int16
		frontier []byte
	)
	err := q.QueryRow(ctx, `SELECT size, leaf_version, frontier FROM log.head `+lock).Scan(&size, &version, &frontier)
	if err != nil {
		return nil, fmt.Errorf("read the log's head: %w", err)
	}
	if version != LeafVersion {
		return nil, fmt.Errorf("the log's leaves have version %d, this program writes version %d: use the program that wrote the log", version, LeafVersion)
	}
	f, err := DecodeFrontier(size, frontier)
	if err != nil {
		return nil, err
	}
	return &head{size: size, frontier: f}, nil
}

// write makes a batch durable, or returns an error and has written nothing of it.
func (l *Log) write(ctx context.Context, batch []Incoming) (first int64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if fitsStatement(batch) {
		first, err = l.writeStatement(ctx, batch)
	} else {
		first, err = l.writeCopy(ctx, batch, nil)
	}
	if err != nil {
		l.head = nil // whatever went wrong: look again before the next batch
	}
	return first, err
}

// AppendBatch writes many events in one transaction, in order, together with what also writes in it, and returns
// the position of the first. also is called with the transaction and the position of the first event; it may be
// nil. It is for imports: no queue, no waiting for others' events.
func (l *Log) AppendBatch(ctx context.Context, batch []Incoming, also func(tx pgx.Tx, first int64) error) (int64, error) {
	for i := range batch {
		if err := batch[i].CheckTexts(); err != nil {
			return 0, fmt.Errorf("event %d of %d: %w", i+1, len(batch), err)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	first, err := l.writeCopy(ctx, batch, also)
	if err != nil {
		l.head = nil
	}
	return first, err
}

// place gives the events of a batch their positions after h, and returns them with the new head. Bodies that
// occur twice in the batch point to the first of them.
func place(h *head, batch []Incoming) ([]Event, *head, error) {
	frontier, err := h.frontier.Clone()
	if err != nil {
		return nil, nil, err
	}
	events := make([]Event, len(batch))
	seen := make(map[[32]byte]int64, len(batch))
	for i, in := range batch {
		e := &events[i]
		*e = Event{
			Seq:         h.size + int64(i) + 1,
			ReceivedAt:  in.ReceivedAt.UTC().Truncate(time.Microsecond),
			Source:      StorableText(in.Source),
			Path:        StorableText(in.Path),
			ContentType: StorableText(in.ContentType),
			Origin:      StorableText(in.Origin),
			Size:        in.Body.Size(),
			SHA256:      in.Body.SHA256(),
		}
		if e.Size > 0 {
			if earlier, ok := seen[e.SHA256]; ok {
				e.BodySeq = earlier
			} else {
				seen[e.SHA256] = e.Seq
			}
		}
		if err := frontier.Append(LeafHash(e)); err != nil {
			return nil, nil, err
		}
	}
	return events, &head{size: h.size + int64(len(batch)), frontier: frontier}, nil
}
