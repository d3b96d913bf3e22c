package topic

import (
	wsql "github.com/ThreeDotsLabs/watermill-sql/v4/pkg/sql"
)

var _ wsql.OffsetsAdapter = ConsumerOffsets{}

// ConsumerOffsets keeps the positions of ordinary consumers in log.consumer, one row for each group and topic. A
// new group begins with the first event of the log.
//
// The subscriber that delivers to a group holds the lock of the group's row until its batch is done. Other
// subscribers of the group find nothing meanwhile (SKIP LOCKED) and stand by; they don't queue for the lock, since
// each would hold a connection while it waits, and the handler of the one that delivers may need one.
type ConsumerOffsets struct{}

// BeforeSubscribingQueries makes the group's row, without which there would be nothing to lock.
func (ConsumerOffsets) BeforeSubscribingQueries(params wsql.BeforeSubscribingQueriesParams) ([]wsql.Query, error) {
	return []wsql.Query{{
		Query: `INSERT INTO log.consumer (consumer_group, topic) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
		Args:  []any{params.ConsumerGroup, params.Topic},
	}}, nil
}

// NextOffsetQuery selects the position, and locks it.
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

// ConsumedMessageQuery is none.
func (ConsumerOffsets) ConsumedMessageQuery(wsql.ConsumedMessageQueryParams) (wsql.Query, error) {
	return wsql.Query{}, nil
}

// SchemaInitializingQueries is none: the table comes with the migrations.
func (ConsumerOffsets) SchemaInitializingQueries(wsql.OffsetsSchemaInitializingQueriesParams) ([]wsql.Query, error) {
	return nil, nil
}
