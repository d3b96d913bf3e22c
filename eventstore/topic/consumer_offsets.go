package topic

import (
	wsql "github.com/ThreeDotsLabs/watermill-sql/v4/pkg/sql"
)

var _ wsql.OffsetsAdapter = ConsumerOffsets{}

// ConsumerOffsets stores the positions of ordinary consumers in log.consumer, one row for each group and topic. A new
// group starts with the first event of the log.
//
// The subscriber that delivers to a group locks the group's row until its batch is done. Meanwhile the other subscribers
// of the group find nothing (SKIP LOCKED) and stand by. They do not queue for the lock, because each would hold a
// connection that the handler of the delivering subscriber may need.
type ConsumerOffsets struct{}

// BeforeSubscribingQueries inserts the group's row, so that there is a row to lock.
func (ConsumerOffsets) BeforeSubscribingQueries(params wsql.BeforeSubscribingQueriesParams) ([]wsql.Query, error) {
	return []wsql.Query{{
		Query: `INSERT INTO log.consumer (consumer_group, topic) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
		Args:  []any{params.ConsumerGroup, params.Topic},
	}}, nil
}

// NextOffsetQuery selects and locks the position.
func (ConsumerOffsets) NextOffsetQuery(params wsql.NextOffsetQueryParams) (wsql.Query, error) {
	return wsql.Query{
		Query: `SELECT position FROM log.consumer WHERE consumer_group = $1 AND topic = $2 FOR UPDATE SKIP LOCKED`,
		Args:  []any{params.ConsumerGroup, params.Topic},
	}, nil
}

// AckMessageQuery moves the position. It runs in the transaction that holds the lock.
func (ConsumerOffsets) AckMessageQuery(params wsql.AckMessageQueryParams) (wsql.Query, error) {
	return wsql.Query{
		Query: `UPDATE log.consumer SET position = $3, updated_at = now() WHERE consumer_group = $1 AND topic = $2 AND position < $3`,
		Args:  []any{params.ConsumerGroup, params.Topic, params.LastRow.Offset},
	}, nil
}

// ConsumedMessageQuery returns no query.
func (ConsumerOffsets) ConsumedMessageQuery(wsql.ConsumedMessageQueryParams) (wsql.Query, error) {
	return wsql.Query{}, nil
}

// SchemaInitializingQueries returns no queries: the migrations create the table.
func (ConsumerOffsets) SchemaInitializingQueries(wsql.OffsetsSchemaInitializingQueriesParams) ([]wsql.Query, error) {
	return nil, nil
}
