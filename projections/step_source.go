package projections

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"
	"strings"

	wsql "github.com/ThreeDotsLabs/watermill-sql/v4/pkg/sql"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/hash"
	"strata/eventstore"
	"strata/eventstore/topic"
)

// stepSource reads the steps that a version of chain has written, with the content of the blocks they apply.
type stepSource struct {
	pool    *pgxpool.Pool
	chain   Spec
	decoder *Decoder
	wake    *eventstore.Wake
	records bool // whether records are wanted
}

func (s *stepSource) head(ctx context.Context) (int64, error) {
	var head int64
	if err := s.pool.QueryRow(ctx, s.chain.SQL(`SELECT coalesce(max(step), 0) FROM {schema}.step`)).Scan(&head); err != nil {
		return 0, fmt.Errorf("read the last step of %s: %w", s.chain, err)
	}
	return head, nil
}

// stepsSQL returns steps after $1, at most $2 of them, and no more than $3 bytes of blocks unless the first is
// larger.
const stepsSQL = `
SELECT step, kind, height, index_block_hash, block_seq, source_seq
FROM (
	SELECT *, sum(CASE WHEN kind >= 0 THEN block_size ELSE 0 END) OVER (ORDER BY step) AS total
	FROM (SELECT * FROM {schema}.step WHERE step > $1 ORDER BY step LIMIT $2) page
) counted
WHERE total <= $3 OR step = $1 + 1
ORDER BY step`

func (s *stepSource) read(ctx context.Context, after int64) ([]Step, error) {
	rows, err := s.pool.Query(ctx, s.chain.SQL(stepsSQL), after, batchItems, batchBytes)
	if err != nil {
		return nil, fmt.Errorf("read steps of %s after %d: %w", s.chain, after, err)
	}
	steps, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Step, error) {
		var step Step
		return step, row.Scan(&step.Number, &step.Kind, &step.Height, &step.IndexBlockHash, &step.BlockSeq, &step.SourceSeq)
	})
	if err != nil {
		return nil, fmt.Errorf("read steps of %s after %d: %w", s.chain, after, err)
	}
	return steps, s.fill(ctx, steps)
}

// fill adds the blocks that the steps apply, and the records that they take in.
func (s *stepSource) fill(ctx context.Context, steps []Step) error {
	if s.records {
		if err := s.fillRecords(ctx, steps); err != nil {
			return err
		}
	}
	seqs := make([]int64, 0, len(steps))
	for _, step := range steps {
		if step.Kind == Apply {
			seqs = append(seqs, step.BlockSeq)
		}
	}
	blocks, err := s.decoder.Blocks(ctx, seqs)
	if err != nil {
		return fmt.Errorf("read blocks of steps of %s: %w", s.chain, err)
	}
	for i := range steps {
		if steps[i].Kind != Apply {
			continue
		}
		if steps[i].Block = blocks[steps[i].BlockSeq]; steps[i].Block == nil {
			return fmt.Errorf("step %d of %s names event %d of the log, which is not there", steps[i].Number, s.chain, steps[i].BlockSeq)
		}
	}
	return nil
}

func (s *stepSource) fillRecords(ctx context.Context, steps []Step) error {
	var seqs []int64
	for _, step := range steps {
		if step.Kind == TakeRecord {
			seqs = append(seqs, step.BlockSeq)
		}
	}
	records, err := s.decoder.Records(ctx, seqs)
	if err != nil {
		return fmt.Errorf("read records of steps of %s: %w", s.chain, err)
	}
	for i := range steps {
		if steps[i].Kind != TakeRecord {
			continue
		}
		if steps[i].Record = records[steps[i].BlockSeq]; steps[i].Record == nil {
			return fmt.Errorf("step %d of %s names event %d of the log, which is not there", steps[i].Number, s.chain, steps[i].BlockSeq)
		}
	}
	return nil
}

func (s *stepSource) subscribe(spec Spec, logger *slog.Logger) (message.Subscriber, string, error) {
	subscriber, err := topic.NewSubscriber(s.pool, topic.SubscriberConfig{
		Schema:  func() wsql.SchemaAdapter { return stepSchema{chain: s.chain} },
		Offsets: topic.ProjectionOffsets{Name: spec.Name, Version: spec.Version},
		Wake:    s.wake,
		Logger:  logger,
	})
	return subscriber, s.chain.Schema(), err
}

func (s *stepSource) item(ctx context.Context, msg *message.Message) (Step, error) {
	var m stepMessage
	if err := json.Unmarshal(msg.Payload, &m); err != nil {
		return Step{}, fmt.Errorf("step message %s: %w", msg.UUID, err)
	}
	steps := []Step{{Number: m.Step, Kind: m.Kind, Height: m.Height, IndexBlockHash: m.IndexBlockHash, BlockSeq: m.BlockSeq, SourceSeq: m.SourceSeq}}
	err := s.fill(ctx, steps)
	return steps[0], err
}

// stepMessage is the payload of a message on the topic of steps.
type stepMessage struct {
	Step           int64       `json:"step"`
	Kind           StepKind    `json:"kind"`
	Height         int64       `json:"height"`
	IndexBlockHash hash.Hash32 `json:"index_block_hash"`
	BlockSeq       int64       `json:"block_seq"`
	SourceSeq      int64       `json:"source_seq"`
}

// stepSchema makes the table of steps a watermill topic; nothing is stored a second time.
type stepSchema struct{ chain Spec }

var _ wsql.SchemaAdapter = stepSchema{}

// stepMessagesMax is how many steps a subscriber takes at once; their blocks are loaded one by one.
const stepMessagesMax = 100

func (s stepSchema) SelectQuery(params wsql.SelectQueryParams) (wsql.Query, error) {
	next, err := params.OffsetsAdapter.NextOffsetQuery(wsql.NextOffsetQueryParams{Topic: params.Topic, ConsumerGroup: params.ConsumerGroup})
	if err != nil {
		return wsql.Query{}, err
	}
	return wsql.Query{
		Query: s.chain.SQL(`
			SELECT step, kind, height, index_block_hash, block_seq, source_seq
			FROM {schema}.step WHERE step > (` + next.Query + `)
			ORDER BY step LIMIT ` + strconv.Itoa(stepMessagesMax)),
		Args: next.Args,
	}, nil
}

func (s stepSchema) UnmarshalMessage(params wsql.UnmarshalMessageParams) (wsql.Row, error) {
	var m stepMessage
	if err := params.Row.Scan(&m.Step, &m.Kind, &m.Height, &m.IndexBlockHash, &m.BlockSeq, &m.SourceSeq); err != nil {
		return wsql.Row{}, fmt.Errorf("read a step of %s: %w", s.chain, err)
	}
	payload, err := json.Marshal(m)
	if err != nil {
		return wsql.Row{}, err
	}
	uuid := strconv.FormatInt(m.Step, 10)
	return wsql.Row{Offset: m.Step, UUID: []byte(uuid), Payload: payload, Msg: message.NewMessage(uuid, payload)}, nil
}

func (s stepSchema) InsertQuery(wsql.InsertQueryParams) (wsql.Query, error) {
	return wsql.Query{}, fmt.Errorf("steps are written by the projection %s only", strings.SplitN(s.chain.Schema(), "_v", 2)[0])
}

func (s stepSchema) SchemaInitializingQueries(wsql.SchemaInitializingQueriesParams) ([]wsql.Query, error) {
	return nil, nil
}

// SubscribeIsolationLevel is named because the library takes the default level for SERIALIZABLE.
func (s stepSchema) SubscribeIsolationLevel() sql.IsolationLevel { return sql.LevelReadCommitted }
