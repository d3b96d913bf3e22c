package version

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/eventstore"
	"strata/projections"
	"strata/projections/internal/register"
)

// PathSkip is the path of the events of the log that say what was skipped. Nobody can post it, because it does not begin with
// a slash.
const PathSkip = "strata:skip"

// skipRecord is the body of such an event.
type skipRecord struct {
	Projection string `json:"projection"`
	Version    int    `json:"version"`
	Rules      int    `json:"rules"`
	Seq        int64  `json:"seq"`
	Position   int64  `json:"position"`
	Reason     string `json:"reason"`
	Error      string `json:"error"`
}

// ErrNotStopped is returned by Skip when no version has stopped at the event.
var ErrNotStopped = errors.New("it has not stopped there")

// Skip lets the versions of a projection that have stopped at an event of the log go past it, and tries them again. The command
// is appended to the log, with its reason, and the event is in quarantine once it has been skipped. Only what fails is skipped:
// code that can fold the event does. It returns the position of the command in the log, and ErrNotStopped when no version of
// the projection has stopped at the event.
func Skip(ctx context.Context, log *eventstore.Log, name string, seq int64, reason string) (command int64, err error) {
	if strings.TrimSpace(reason) == "" {
		return 0, errors.New("a skip needs a reason, which is recorded in the log")
	}
	es, err := register.Read(ctx, log.Pool())
	if err != nil {
		return 0, err
	}
	records, elsewhere, err := stoppedAt(ctx, log, es, name, seq)
	if err != nil {
		return 0, err
	}
	if len(records) == 0 {
		return 0, fmt.Errorf("skip event %d in projection %s: %w%s", seq, name, ErrNotStopped, elsewhere)
	}
	batch := make([]eventstore.Incoming, len(records))
	for i, r := range records {
		r.Reason = reason
		body, err := json.Marshal(r)
		if err != nil {
			return 0, err
		}
		batch[i] = eventstore.Incoming{
			ReceivedAt: time.Now(), Source: "command", Path: PathSkip, ContentType: "application/json", Body: eventstore.NewBody(body),
		}
	}
	return log.AppendBatch(ctx, batch, func(tx pgx.Tx, first int64) error {
		for i, r := range records {
			_, err := tx.Exec(ctx, `
				INSERT INTO strata.skip (name, rules, seq, reason, command_seq) VALUES ($1, $2, $3, $4, $5)
				ON CONFLICT (name, rules, seq) DO NOTHING`, r.Projection, r.Rules, r.Seq, projections.Text(reason), first+int64(i))
			if err != nil {
				return fmt.Errorf("note that event %d is skipped: %w", seq, err)
			}
			_, err = tx.Exec(ctx, `
				UPDATE strata.projection SET state = 'building', updated_at = now()
				WHERE name = $1 AND version = $2 AND state = 'failed' AND error_position = $3`, r.Projection, r.Version, r.Position)
			if err != nil {
				return fmt.Errorf("resume projection %s: %w", name, err)
			}
		}
		return nil
	})
}

// stoppedAt returns the versions of a projection that have stopped at an event; elsewhere says where others have.
func stoppedAt(ctx context.Context, log *eventstore.Log, es register.Entries, name string, seq int64) (records []skipRecord, elsewhere string, err error) {
	statuses, err := StatusesWithoutSizes(ctx, log.Pool())
	if err != nil {
		return nil, "", err
	}
	for _, s := range statuses {
		if s.Name != name || s.State != StateFailed || s.ErrorPosition == nil {
			continue
		}
		e, err := es.Get(s.Schema())
		if err != nil {
			return nil, "", err
		}
		at := *s.ErrorPosition
		if e.Input != register.Log {
			err := log.Pool().QueryRow(ctx, `SELECT source_seq FROM `+e.Leader().Table("step")+` WHERE step = $1`, at).Scan(&at)
			if err != nil {
				return nil, "", fmt.Errorf("read the event of step %d of %s: %w", *s.ErrorPosition, e.Input, err)
			}
		}
		if at != seq {
			elsewhere += fmt.Sprintf("; version %d has stopped at event %d", s.Version, at)
			continue
		}
		record := skipRecord{Projection: name, Version: s.Version, Rules: s.Rules, Seq: seq, Position: *s.ErrorPosition}
		if s.Error != nil {
			record.Error = *s.Error
		}
		records = append(records, record)
	}
	return records, elsewhere, nil
}
