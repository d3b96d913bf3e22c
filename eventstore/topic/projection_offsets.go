package topic

import (
	"fmt"

	wsql "github.com/ThreeDotsLabs/watermill-sql/v4/pkg/sql"
)

var _ wsql.OffsetsAdapter = ProjectionOffsets{}

// ProjectionOffsets starts from the position of a version of a projection in strata.projection. It never writes:
// the handler moves the position, by compare-and-set, in the transaction that writes the projection's rows. Nor
// does it lock: the handler's transaction is another one than the subscriber's and would wait for it for ever.
//
// A handler that acks without moving the position is asked again from the old position in the next batch.
type ProjectionOffsets struct {
	Name    string
	Version int
}

// BeforeSubscribingQueries makes Subscribe fail for a projection that is not registered, which would otherwise look
// like one without events.
func (o ProjectionOffsets) BeforeSubscribingQueries(wsql.BeforeSubscribingQueriesParams) ([]wsql.Query, error) {
	return []wsql.Query{{
		// Plain SQL cannot raise an error with a message of its own, but a cast says what it could not cast. The
		// cast stands around the CASE: inside, the planner would evaluate it in any case.
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

// AckMessageQuery does nothing: the position has moved already.
func (ProjectionOffsets) AckMessageQuery(wsql.AckMessageQueryParams) (wsql.Query, error) {
	return wsql.Query{Query: `SELECT 1`}, nil
}

// ConsumedMessageQuery is none.
func (ProjectionOffsets) ConsumedMessageQuery(wsql.ConsumedMessageQueryParams) (wsql.Query, error) {
	return wsql.Query{}, nil
}

// SchemaInitializingQueries is none: the table comes with the migrations.
func (ProjectionOffsets) SchemaInitializingQueries(wsql.OffsetsSchemaInitializingQueriesParams) ([]wsql.Query, error) {
	return nil, nil
}
