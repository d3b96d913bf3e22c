package topic

import (
	"database/sql"
	"errors"
	"fmt"
	"sync"

	wsql "github.com/ThreeDotsLabs/watermill-sql/v4/pkg/sql"

	"strata/eventstore"
)

// ErrPublishWithPublisher is returned to watermill-sql's own publisher.
var ErrPublishWithPublisher = errors.New("the log is not written by INSERT, which would leave its head behind: use Publisher")

var _ wsql.SchemaAdapter = (*SchemaAdapter)(nil)

// SchemaAdapter reads log.event for watermill-sql's subscriber. Make one for each subscription, and never copy it.
// It expects one of this package's offsets adapters, and its Backoff.
type SchemaAdapter struct {
	// Events that are read at once, at most; default EventsDefault.
	Events int
	// Bytes of bodies that are read at once, at most; default BytesDefault. At least one event is read, however
	// large. The subscriber holds them all in memory.
	Bytes int64
	// Paths whose bodies are wanted; events of other paths come with a nil payload. Nil means all.
	Paths []string

	mu      sync.Mutex
	scanned map[string]span // path → where no event of it stands
}

// Defaults of SchemaAdapter.
const (
	EventsDefault = 256
	BytesDefault  = 16 << 20
)

// window is how many positions are looked through at once for the events of one path.
const window = 10_000

// span is the positions above after, up to and including to. What holds of them holds for ever, since the log is
// append-only.
type span struct {
	after, to int64
}

// errWindowEmpty says that a whole window holds no event of the topic, and that more of the log follows: try again
// at once.
var errWindowEmpty = errors.New("no event of this topic in the window")

// InsertQuery returns ErrPublishWithPublisher.
func (s *SchemaAdapter) InsertQuery(wsql.InsertQueryParams) (wsql.Query, error) {
	return wsql.Query{}, ErrPublishWithPublisher
}

// SchemaInitializingQueries is none: the tables come with the migrations.
func (s *SchemaAdapter) SchemaInitializingQueries(wsql.SchemaInitializingQueriesParams) ([]wsql.Query, error) {
	return nil, nil
}

// SubscribeIsolationLevel is read committed: the query is one statement, and needs no snapshot beyond it.
// (watermill-sql takes the default level for serializable.)
func (s *SchemaAdapter) SubscribeIsolationLevel() sql.IsolationLevel { return sql.LevelReadCommitted }

// SelectQuery reads on from where the offsets adapter says.
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
	return selectPath(next, bounds, s.Paths, path, s.scanned[path]), nil
}

// UnmarshalMessage makes the message of a row.
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
	e.Size = int64(len(e.Body))
	msg := newMessage(&e)
	Attach(params.Row, msg, e)
	return wsql.Row{Offset: e.Seq, UUID: []byte(msg.UUID), Payload: e.Body, Msg: msg}, nil
}

// remember that no event of path stands in seen, so that a topic whose last event is long ago is not looked for
// from there each time.
func (s *SchemaAdapter) remember(path string, seen span) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.scanned == nil {
		s.scanned = map[string]span{}
	}
	s.scanned[path] = seen
}
