package topic

import (
	"fmt"

	wsql "github.com/ThreeDotsLabs/watermill-sql/v4/pkg/sql"
)

var _ wsql.OffsetsAdapter = ProjectionOffsets{}

// ProjectionOffsets reads the position of a version of a projection from strata.projection. It never writes: the handler
// moves the position, by compare-and-set, in the transaction that writes the projection's rows. It does not lock either:
// the handler uses another transaction than the subscriber, and would wait for the lock for ever.
//
// So a query is a transaction by itself, and no connection is held while messages are handled.
//
// If a handler acks without moving the position, the next batch starts at the old position again.
type ProjectionOffsets struct {
	Name    string
	Version int
}

// BeforeSubscribingQueries makes Subscribe fail for a projection that is not registered. It would otherwise look like one
// without events.
func (o ProjectionOffsets) BeforeSubscribingQueries(wsql.BeforeSubscribingQueriesParams) ([]wsql.Query, error) {
	return []wsql.Query{{
		// Plain SQL can't raise an error with a chosen message, but a failed cast quotes the text. The cast must be
		// outside of the CASE: inside, the planner would evaluate it always.
		Query: `SELECT (CASE WHEN count(*) = 0 THEN $3::text ELSE '0' END)::int
		        FROM strata.projection WHERE name = $1 AND version = $2`,
		Args: []any{o.Name, o.Version, fmt.Sprintf("projection %s version %d is not registered in strata.projection", o.Name, o.Version)},
	}}, nil
}

// NextOffsetQuery selects the position.
func (o ProjectionOffsets) NextOffsetQuery(wsql.NextOffsetQueryParams) (wsql.Query, error) {
	return wsql.Query{
		Query: `SELECT position FROM strata.projection WHERE name = $1 AND version = $2`,
		Args:  []any{o.Name, o.Version},
	}, nil
}

// ackNothing is a statement without effect, which directTx does not send.
const ackNothing = `SELECT 1`

// AckMessageQuery does nothing: the handler has moved the position.
func (ProjectionOffsets) AckMessageQuery(wsql.AckMessageQueryParams) (wsql.Query, error) {
	return wsql.Query{Query: ackNothing}, nil
}

// ConsumedMessageQuery returns no query.
func (ProjectionOffsets) ConsumedMessageQuery(wsql.ConsumedMessageQueryParams) (wsql.Query, error) {
	return wsql.Query{}, nil
}

// SchemaInitializingQueries returns no queries: the migrations create the table.
func (ProjectionOffsets) SchemaInitializingQueries(wsql.OffsetsSchemaInitializingQueriesParams) ([]wsql.Query, error) {
	return nil, nil
}
