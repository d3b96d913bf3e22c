package eventstore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/longlock"
	"strata/internal/tracing"
)

// ErrUnavailable is the error of Append when the event may not be durable: the database can't be reached, is full, or
// has refused the write. The sender keeps the event and sends it again.
var ErrUnavailable = errors.New("the log can't be written now")

// ErrClosed is the error of Append after Close.
var ErrClosed = errors.New("the log is closed")

// Channel is the notification channel on which every commit to the log is announced. The payload is the new size.
const Channel = "strata_log"

// Log is the append-only log in one database. It is safe for concurrent use. Any number of processes may have a Log
// open on the same database.
type Log struct {
	pool   *pgxpool.Pool
	logger *slog.Logger
	queue  *queue

	listener *Listener

	mu   longlock.Lock // held while a batch is written; guards head
	head *head         // nil: read it from the database

	partitions *partitions
	recent     recent
	packing    atomic.Pointer[bool] // whether bodies are packed; nil: not known yet
	arrived    atomic.Pointer[func(*Incoming)]
	tracer     *tracing.Tracer
}

// head is the newest state of log.head that this process knows. Another process may have moved it since.
type head struct {
	size     int64
	frontier Frontier
}

// Config configures a Log. The zero value of a field means its default.
type Config struct {
	Logger *slog.Logger
	// Tracer traces what becomes of events; default none.
	Tracer *tracing.Tracer
	// QueueEvents is the maximum number of appends under way; beyond it, Append blocks. Default 4096.
	QueueEvents int
	// BatchEvents and BatchBytes are the maxima for one transaction; defaults 256 and 4 MiB.
	BatchEvents int
	BatchBytes  int64
	// Timeout bounds the writing of one batch; after it, the appends of the batch fail with ErrUnavailable. Default
	// 30 s.
	Timeout time.Duration
	// PartitionEvents is the number of positions in each partition of the table; default 1,000,000. It must
	// divide the bounds of the partitions that exist.
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

// Open opens the log in a migrated database.
func Open(pool *pgxpool.Pool, config Config) *Log {
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	config.QueueEvents = orDefault(config.QueueEvents, QueueEventsDefault)
	config.BatchEvents = orDefault(config.BatchEvents, BatchEventsDefault)
	config.BatchBytes = orDefault(config.BatchBytes, BatchBytesDefault)
	config.Timeout = orDefault(config.Timeout, TimeoutDefault)
	config.PartitionEvents = orDefault(config.PartitionEvents, PartitionEventsDefault)
	l := &Log{pool: pool, mu: longlock.New(), logger: config.Logger, tracer: config.Tracer, listener: NewListener(pool, config.Logger)}
	l.partitions = newPartitions(pool, config.PartitionEvents, config.Logger)
	l.queue = newQueue(config, l.write)
	return l
}

func orDefault[T int | int64 | time.Duration](value, fallback T) T {
	if value <= 0 {
		return fallback
	}
	return value
}

// Append appends one event, waits until it is durable, and returns its position. It blocks while the queue is full.
// After an error the sender must not count on the event. ErrUnavailable means that it should send the event again;
// ErrRecordTooLong means that the log will never accept it.
//
// ctx bounds the wait for a turn. If ctx ends while the event waits, the event is not written. If another caller is
// writing the event in its batch at that moment, Append returns the error of ctx, and the event may be committed all
// the same. A caller that writes its own batch returns with the result, after Config.Timeout at the latest.
//
// Append closes the body.
func (l *Log) Append(ctx context.Context, in Incoming) (int64, error) {
	if err := in.CheckTexts(); err != nil { // now, so that it does not fail the events that would share its transaction
		in.Body.Close()
		return 0, err
	}
	if arrived := l.arrived.Load(); arrived != nil {
		(*arrived)(&in)
	}
	if err := l.pack(ctx, in); err != nil { // here, where others that wait for their turn do it as well
		in.Body.Close()
		return 0, err
	}
	if l.tracer == nil {
		done, err := l.queue.add(ctx, in)
		return done.seq, err
	}
	return l.appendTraced(ctx, in)
}

// OnArrival has a reader in this process told of each event before Append writes it. The function must not wait, nor close the
// body. The event may fail to be appended.
func (l *Log) OnArrival(arrived func(*Incoming)) { l.arrived.Store(&arrived) }

// Close refuses further appends, waits for those under way, and stops all wakes. It may be called twice.
func (l *Log) Close() {
	l.queue.close()
	l.partitions.close()
	l.listener.close()
}

// Size returns the number of committed events, which is also the position of the last one.
func (l *Log) Size(ctx context.Context) (int64, error) {
	var size int64
	if err := l.pool.QueryRow(ctx, `SELECT size FROM log.head`).Scan(&size); err != nil {
		return 0, fmt.Errorf("read the log's head: %w", err)
	}
	return size, nil
}

// Checkpoint returns the committed size of the log and the Merkle root over exactly these events.
func (l *Log) Checkpoint(ctx context.Context) (size int64, root []byte, err error) {
	h, err := readHead(ctx, l.pool, ``)
	if err != nil {
		return 0, nil, err
	}
	root, err = h.frontier.Root()
	return h.size, root, err
}

// Pool returns the connection pool of the log's database.
func (l *Log) Pool() *pgxpool.Pool { return l.pool }

// Tracer returns what traces events; nil for none.
func (l *Log) Tracer() *tracing.Tracer { return l.tracer }

// Listener returns the listener that all users of this Log share.
func (l *Log) Listener() *Listener { return l.listener }

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
		return nil, fmt.Errorf("the log's leaves have version %d, this program writes version %d: use the program that wrote the log",
			version, LeafVersion)
	}
	f, err := DecodeFrontier(size, frontier)
	if err != nil {
		return nil, err
	}
	return &head{size: size, frontier: f}, nil
}

// write makes a batch durable, or writes nothing of it and returns an error.
func (l *Log) write(ctx context.Context, batch []Incoming) (first int64, err error) {
	return l.alone(func() (int64, error) {
		if fitsStatement(batch) {
			return l.writeStatement(ctx, batch)
		}
		return l.writeCopy(ctx, batch, nil)
	})
}

// alone calls write, which is the only one in this process to write meanwhile.
func (l *Log) alone(write func() (int64, error)) (first int64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.guard()()
	if first, err = write(); err != nil {
		l.head = nil // read it again before the next batch, whatever went wrong
	}
	return first, err
}

// AppendBatch appends many events in one transaction, in order, and returns the position of the first. It does not go
// through the queue; imports use it. Before the commit it calls inTx, unless that is nil, with the transaction and the
// position of the first event. The caller closes the bodies.
func (l *Log) AppendBatch(ctx context.Context, batch []Incoming, inTx func(tx pgx.Tx, first int64) error) (int64, error) {
	for i := range batch {
		if err := batch[i].CheckTexts(); err != nil {
			return 0, fmt.Errorf("event %d of %d: %w", i+1, len(batch), err)
		}
	}
	if err := l.pack(ctx, batch...); err != nil {
		return 0, err
	}
	return l.alone(func() (int64, error) { return l.writeCopy(ctx, batch, inTx) })
}

// place gives the events of a batch the positions that follow h, and returns them with the new head. If a body
// occurs several times in the batch, the later events point to the first.
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
