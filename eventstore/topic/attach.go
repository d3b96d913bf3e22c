package topic

import (
	"context"
	"database/sql"

	wsql "github.com/ThreeDotsLabs/watermill-sql/v4/pkg/sql"
	"github.com/ThreeDotsLabs/watermill/message"
)

// Attach attaches the value that was scanned from a row to the row's message, so that the message's handler need not
// parse it again. UnmarshalMessage of a SchemaAdapter calls it with the row that it is given. Within one query,
// messages must differ in UUID or in MetadataSeq.
func Attach(row wsql.Scanner, msg *message.Message, value any) {
	if r, ok := row.(attachingRows); ok {
		r.values[attachmentOf(msg)] = value
	}
}

// Attached returns the value that was attached to a message, also to the copy that comes again after a Nack. ok is
// false when there is none of this type.
func Attached[T any](msg *message.Message) (value T, ok bool) {
	tx, _ := wsql.TxFromContext(msg.Context())
	if attaching, found := tx.(attachingTx); found {
		value, ok = attaching.values[attachmentOf(msg)].(T)
	}
	return value, ok
}

// attachment identifies a message within a query.
type attachment struct{ uuid, seq string }

func attachmentOf(msg *message.Message) attachment {
	return attachment{msg.UUID, msg.Metadata[MetadataSeq]}
}

// attachingBeginner keeps attached values in the transaction of the query. watermill-sql gives each message a new
// context, which hides whatever a SchemaAdapter puts into the context; but that context has the transaction. Values are
// written while rows are read, before any message is delivered, and live as long as the transaction.
type attachingBeginner struct {
	wsql.Beginner
}

func (b attachingBeginner) BeginTx(ctx context.Context, options *sql.TxOptions) (wsql.Tx, error) {
	tx, err := b.Beginner.BeginTx(ctx, options)
	if err != nil {
		return nil, err
	}
	return attachingTx{tx, map[attachment]any{}}, nil
}

type attachingTx struct {
	wsql.Tx
	values map[attachment]any
}

func (t attachingTx) QueryContext(ctx context.Context, query string, args ...any) (wsql.Rows, error) {
	rows, err := t.Tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return attachingRows{rows, t.values}, nil
}

type attachingRows struct {
	wsql.Rows
	values map[attachment]any
}
