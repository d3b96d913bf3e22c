package follow

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"strconv"

	wsql "github.com/ThreeDotsLabs/watermill-sql/v4/pkg/sql"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/eventstore"
	"strata/eventstore/topic"
	"strata/projections"
	"strata/projections/internal/register"
)

// stepSource reads the steps that a version of a leader has written, with their content.
type stepSource[T projections.Item] struct {
	pool   *pgxpool.Pool
	leader projections.Schema
	wake   *eventstore.Wake
	list   stepList[T]
}

func (s *stepSource[T]) head(ctx context.Context) (int64, error) {
	return register.LastStep(ctx, s.pool, s.leader)
}

func (s *stepSource[T]) bytes(ctx context.Context, after, head int64) (bytes int64, err error) {
	err = s.pool.QueryRow(ctx, `
		SELECT coalesce(sum(block_size), 0) FROM `+s.leader.Table("step")+` WHERE step > $1 AND step <= $2 AND kind >= 0`, after, head).Scan(&bytes)
	if err != nil {
		return 0, fmt.Errorf("read the size of the steps of %s after %d: %w", s.leader, after, err)
	}
	return bytes, nil
}

// final reports whether the leader is at the head of the log, or has stopped.
func (s *stepSource[T]) final(ctx context.Context) (final bool, err error) {
	err = s.pool.QueryRow(ctx, `
		SELECT p.state <> 'building' OR p.position + $3 >= h.size FROM strata.projection p, log.head h WHERE p.name = $1 AND p.version = $2`,
		s.leader.Name, s.leader.Version, bulkLag).Scan(&final)
	if errors.Is(err, pgx.ErrNoRows) { // it was dropped, and its followers are about to be
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read whether %s has caught up: %w", s.leader, err)
	}
	return final, nil
}

// read returns steps after a position: batchItems at most, and at most batchBytes of content unless the first step
// alone has more.
func (s *stepSource[T]) read(ctx context.Context, after int64) ([]T, error) {
	rows, err := s.pool.Query(ctx, `
		SELECT `+s.list.columns+`
		FROM (
			SELECT *, sum(CASE WHEN kind >= 0 THEN block_size ELSE 0 END) OVER (ORDER BY step) AS total
			FROM (SELECT * FROM `+s.leader.Table("step")+` WHERE step > $1 ORDER BY step LIMIT $2) page
		) counted
		WHERE total <= $3 OR step = $1 + 1
		ORDER BY step`, after, batchItems, batchBytes)
	if err != nil {
		return nil, fmt.Errorf("read steps of %s after %d: %w", s.leader, after, err)
	}
	steps, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (T, error) { return s.list.scan(row) })
	if err != nil {
		return nil, fmt.Errorf("read steps of %s after %d: %w", s.leader, after, err)
	}
	return steps, s.load(ctx, steps)
}

// load adds the content of steps.
func (s *stepSource[T]) load(ctx context.Context, steps []T) error {
	if err := s.list.load(ctx, steps); err != nil {
		return fmt.Errorf("read the content of steps of %s: %w", s.leader, err)
	}
	return nil
}

func (s *stepSource[T]) grown() <-chan struct{} { return wakeChannel(s.wake) }

func (s *stepSource[T]) subscribe(spec projections.Spec, logger *slog.Logger) (message.Subscriber, string, error) {
	subscriber, err := topic.NewSubscriber(s.pool, topic.SubscriberConfig{
		Schema:  func() wsql.SchemaAdapter { return stepSchema[T]{leader: s.leader, list: s.list} },
		Offsets: topic.ProjectionOffsets{Name: spec.Name, Version: spec.Version},
		Wake:    s.wake,
		Logger:  logger,
	})
	return subscriber, s.leader.String(), err
}

func (s *stepSource[T]) item(ctx context.Context, msg *message.Message) (T, error) {
	step, ok := topic.Attached[T](msg)
	if !ok {
		return step, fmt.Errorf("message %s is not a step of %s", msg.UUID, s.leader)
	}
	steps := []T{step}
	err := s.load(ctx, steps)
	return steps[0], err
}

// stepSchema makes the table of steps a watermill topic; nothing is stored a second time. The UUID of a message is the
// step's number, its payload is empty, and the step itself is attached to it.
type stepSchema[T projections.Item] struct {
	leader projections.Schema
	list   stepList[T]
}

var _ wsql.SchemaAdapter = stepSchema[projections.Step]{}

// stepMessagesMax is how many steps a subscriber reads at once. Their content is loaded one by one.
const stepMessagesMax = 100

func (s stepSchema[T]) SelectQuery(params wsql.SelectQueryParams) (wsql.Query, error) {
	next, err := params.OffsetsAdapter.NextOffsetQuery(wsql.NextOffsetQueryParams{Topic: params.Topic, ConsumerGroup: params.ConsumerGroup})
	if err != nil {
		return wsql.Query{}, err
	}
	return wsql.Query{
		Query: `
			SELECT ` + s.list.columns + `
			FROM ` + s.leader.Table("step") + ` WHERE step > (` + next.Query + `)
			ORDER BY step LIMIT ` + strconv.Itoa(stepMessagesMax),
		Args: next.Args,
	}, nil
}

func (s stepSchema[T]) UnmarshalMessage(params wsql.UnmarshalMessageParams) (wsql.Row, error) {
	step, err := s.list.scan(params.Row)
	if err != nil {
		return wsql.Row{}, fmt.Errorf("read a step of %s: %w", s.leader, err)
	}
	uuid := strconv.FormatInt(step.Position(), 10)
	msg := message.NewMessage(uuid, nil)
	topic.Attach(params.Row, msg, step)
	return wsql.Row{Offset: step.Position(), UUID: []byte(uuid), Msg: msg}, nil
}

func (s stepSchema[T]) InsertQuery(wsql.InsertQueryParams) (wsql.Query, error) {
	return wsql.Query{}, fmt.Errorf("steps are written by the projection %s only", s.leader.Name)
}

func (s stepSchema[T]) SchemaInitializingQueries(wsql.SchemaInitializingQueriesParams) ([]wsql.Query, error) {
	return nil, nil
}

// SubscribeIsolationLevel names the level because the library takes the default level for SERIALIZABLE.
func (s stepSchema[T]) SubscribeIsolationLevel() sql.IsolationLevel { return sql.LevelReadCommitted }
