package pipeline

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// statements are those that a connection has prepared, by their text. They are the connection's as long as it lives.
type statements struct {
	byText     map[string]*statement
	insertions map[string]string // texts of INSERTs, by their keys
	key        []byte            // memory for one of these keys
	named      int               // how many names were given
	// unnamed says that a pooler may give each transaction to another connection of the server, so that no statement has a name:
	// it is sent with its text each time.
	unnamed bool
	tracer  pgx.BatchTracer // nil for none
	// scanning has the types for lanes that read results, as a map of types is not for several goroutines at once.
	scanning *pgtype.Map
}

// statement is a prepared statement, with what its results look like.
type statement struct {
	*pgconn.StatementDescription
	formats []int16
	fields  []pgconn.FieldDescription
}

// maxStatements bounds those of a connection. Folds have some hundred. When there are more, versions of read tables that came
// and went have left theirs.
const maxStatements = 1000

const statementsKey = "statements of pipelines"

func statementsOf(ctx context.Context, conn *pgx.Conn) (*statements, error) {
	kept := conn.PgConn().CustomData()
	s, ok := kept[statementsKey].(*statements)
	if ok && len(s.byText) > maxStatements {
		if !s.unnamed {
			if err := conn.DeallocateAll(ctx); err != nil {
				return nil, fmt.Errorf("drop %d prepared statements: %w", len(s.byText), err)
			}
		}
		ok = false
	}
	if !ok {
		config := conn.Config()
		s = &statements{byText: map[string]*statement{}, insertions: map[string]string{}, unnamed: !KeepsSession(config), scanning: conn.TypeMap().Copy()}
		s.tracer, _ = config.Tracer.(pgx.BatchTracer)
		kept[statementsKey] = s
	}
	return s, nil
}

// KeepsSession reports whether connections keep what was set and prepared: unless a pooler is between, for which statements are not
// to be prepared by name.
func KeepsSession(config *pgx.ConnConfig) bool {
	return config.DefaultQueryExecMode == pgx.QueryExecModeCacheStatement
}

// nextName returns a name that no other statement of the connection has; empty if statements have none.
func (s *statements) nextName() string {
	if s.unnamed {
		return ""
	}
	s.named++
	return "fold_" + strconv.Itoa(s.named)
}

// add keeps a statement that was prepared.
func (s *statements) add(types *pgtype.Map, description *pgconn.StatementDescription) {
	n := len(description.Fields)
	added := &statement{description, make([]int16, n), make([]pgconn.FieldDescription, n)}
	for i, field := range description.Fields {
		added.formats[i] = types.FormatCodeForOID(field.DataTypeOID)
		field.Format = added.formats[i]
		added.fields[i] = field
	}
	s.byText[description.SQL] = added
}

// forget drops a statement whose tables have changed so much that the server can no longer execute it as it was prepared.
func (s *statements) forget(sql string, err error) {
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == "0A000" { // feature_not_supported: "cached plan must not change result type"
		delete(s.byText, sql)
	}
}
