package topic

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	wsql "github.com/ThreeDotsLabs/watermill-sql/v4/pkg/sql"

	"strata/eventstore"
)

// directBeginner begins transactions that are none: each statement is one by itself. That saves three round trips for each
// query of messages, and a connection while they are handled. It is for a subscriber that writes nothing.
type directBeginner struct {
	wsql.Beginner
	// recent returns the next messages if they need not be queried; nil for none.
	recent func() []eventstore.Event
}

func (b directBeginner) BeginTx(context.Context, *sql.TxOptions) (wsql.Tx, error) {
	return directTx(b), nil
}

type directTx directBeginner

// QueryContext queries messages, or returns recent ones.
func (t directTx) QueryContext(ctx context.Context, query string, args ...any) (wsql.Rows, error) {
	if t.recent != nil {
		if events := t.recent(); len(events) > 0 {
			return &recentRows{events: events}, nil
		}
	}
	return t.Beginner.QueryContext(ctx, query, args...)
}

// ExecContext sends a statement, unless it is an acknowledgement without effect.
func (t directTx) ExecContext(ctx context.Context, query string, args ...any) (wsql.Result, error) {
	if query == ackNothing {
		return nothing{}, nil
	}
	return t.Beginner.ExecContext(ctx, query, args...)
}

func (directTx) Commit() error { return nil }

func (directTx) Rollback() error { return nil }

// nothing is the result of a statement that was not sent.
type nothing struct{}

func (nothing) RowsAffected() (int64, error) { return 0, nil }

// recent returns the events after the last message, as the query of the topic All would select them.
func (s *SchemaAdapter) recent(log *eventstore.Log) []eventstore.Event {
	delivered := s.delivered.Load()
	if delivered == 0 {
		return nil // the position is not known yet
	}
	events := log.Recent(delivered)
	for i := range events {
		if s.Paths != nil && !slices.Contains(s.Paths, events[i].Path) {
			events[i].Body = nil
		}
	}
	return events
}

// recentRows are events in memory, as rows of the query of a topic.
type recentRows struct {
	events []eventstore.Event
	next   int
}

func (r *recentRows) Next() bool {
	r.next++
	return r.next <= len(r.events)
}

func (r *recentRows) Close() error { return nil }

// Scan sets what SchemaAdapter.UnmarshalMessage reads.
func (r *recentRows) Scan(dest ...any) error {
	e := &r.events[r.next-1]
	texts := []string{e.Source, e.Path, e.ContentType, e.Origin}
	for i, d := range dest {
		switch d := d.(type) {
		case *int64:
			*d = 0
			if i == 0 {
				*d = e.Seq
			}
		case *time.Time:
			*d = e.ReceivedAt
		case *string:
			*d, texts = texts[0], texts[1:]
		case *[]byte:
			*d = e.Body
		case *bool:
			*d = false
		default:
			return fmt.Errorf("an event has no column of type %T", d)
		}
	}
	return nil
}
