package topic

import (
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	wsql "github.com/ThreeDotsLabs/watermill-sql/v4/pkg/sql"

	"strata/eventstore"
)

// ErrPublishWithPublisher is the error for watermill-sql's own publisher.
var ErrPublishWithPublisher = errors.New("the log is not written by INSERT, which would leave its head behind: use Publisher")

var _ wsql.SchemaAdapter = (*SchemaAdapter)(nil)

// SchemaAdapter reads log.event for watermill-sql's subscriber. Each subscription needs its own; it must not be copied. It
// needs one of this package's offsets adapters, and a Backoff.
type SchemaAdapter struct {
	// Events is the maximum number of events per query; default EventsDefault.
	Events int
	// Bytes is the maximum size of the bodies per query; default BytesDefault. A query returns at least one event,
	// however large. The subscriber holds the result in memory.
	Bytes int64
	// Paths selects the events whose bodies are fetched; nil means all. Other events have a nil payload.
	Paths []string

	delivered atomic.Int64 // the position of the last message

	mu       sync.Mutex
	searched map[string]span // by path: the last span without an event of that path
}

// Defaults of SchemaAdapter.
const (
	EventsDefault = 256
	BytesDefault  = 16 << 20
)

// window is the number of positions that one query searches for the events of a path.
const window = 10_000

// span is a run of positions: those above after, up to and including to. Its events never change, because the log is
// append-only.
type span struct {
	after, to int64
}

// errWindowEmpty means that a whole window holds no event of the topic, and that the log goes on: query again at once.
var errWindowEmpty = errors.New("no event of this topic in the window")

// InsertQuery returns ErrPublishWithPublisher.
func (s *SchemaAdapter) InsertQuery(wsql.InsertQueryParams) (wsql.Query, error) {
	return wsql.Query{}, ErrPublishWithPublisher
}

// SchemaInitializingQueries returns no queries: the migrations create the tables.
func (s *SchemaAdapter) SchemaInitializingQueries(wsql.SchemaInitializingQueriesParams) ([]wsql.Query, error) {
	return nil, nil
}

// SubscribeIsolationLevel returns read committed: the query is one statement and needs no longer snapshot.
// (watermill-sql would take the default level for serializable.)
func (s *SchemaAdapter) SubscribeIsolationLevel() sql.IsolationLevel { return sql.LevelReadCommitted }

// SelectQuery returns the query for the next events after the position of the offsets adapter.
func (s *SchemaAdapter) SelectQuery(params wsql.SelectQueryParams) (wsql.Query, error) {
	next, err := params.OffsetsAdapter.NextOffsetQuery(wsql.NextOffsetQueryParams{
		Topic:         params.Topic,
		ConsumerGroup: params.ConsumerGroup,
	})
	if err != nil {
		return wsql.Query{}, fmt.Errorf("offset of topic %s: %w", params.Topic, err)
	}
	bounds := bounds{events: s.Events, bytes: s.Bytes, window: window}
	if bounds.events <= 0 {
		bounds.events = EventsDefault
	}
	if bounds.bytes <= 0 {
		bounds.bytes = BytesDefault
	}
	if params.Topic == All {
		return selectAll(next, bounds, s.Paths), nil
	}
	path := Path(params.Topic)
	s.mu.Lock()
	defer s.mu.Unlock()
	return selectPath(next, bounds, s.Paths, path, s.searched[path]), nil
}

// UnmarshalMessage returns the message of a row.
func (s *SchemaAdapter) UnmarshalMessage(params wsql.UnmarshalMessageParams) (wsql.Row, error) {
	var (
		e      eventstore.Event
		seen   span
		isFull bool
	)
	err := params.Row.Scan(&e.Seq, &e.ReceivedAt, &e.Source, &e.Path, &e.ContentType, &e.Origin, &e.Body,
		&seen.after, &seen.to, &isFull)
	if err != nil {
		return wsql.Row{}, fmt.Errorf("read an event of the log: %w", err)
	}
	if e.Seq == 0 {
		s.remember(e.Path, seen)
		if isFull {
			return wsql.Row{}, errWindowEmpty
		}
		return wsql.Row{}, sql.ErrNoRows // the end of the log
	}
	s.delivered.Store(e.Seq)
	e.Size = int64(len(e.Body))
	msg := NewMessage(&e)
	Attach(params.Row, msg, e)
	return wsql.Row{Offset: e.Seq, UUID: []byte(msg.UUID), Payload: e.Body, Msg: msg}, nil
}

// remember records that the span seen holds no event of path, so that later queries skip it. Otherwise each query for a
// topic with a distant last event would search all positions since.
func (s *SchemaAdapter) remember(path string, seen span) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.searched == nil {
		s.searched = map[string]span{}
	}
	s.searched[path] = seen
}
