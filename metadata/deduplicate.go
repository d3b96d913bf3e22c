package metadata

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"strata/domain/fetch"
	"strata/domain/schema"
	"strata/domain/token"
	"strata/metadata/internal/web"
)

// leaveOut replaces what a report brings by the event whose report has it, if that is the one that the projection knows.
func (w *worker) leaveOut(ctx context.Context, schema string, report *fetch.Report) error {
	seq, err := w.knownSeq(ctx, schema, report.Want)
	if err != nil || seq == 0 {
		return err
	}
	known, err := w.knownReport(ctx, seq)
	if err != nil || known == nil {
		return err
	}
	report.LeaveOut(known, seq)
	return nil
}

// knownSeq returns the event of the report whose content a projection has for a document or an image, or whose answers it
// has for a token; 0 if it has none, or others as well.
func (w *worker) knownSeq(ctx context.Context, in string, want fetch.Want) (seq int64, err error) {
	var query string
	var args []any
	switch want.Kind {
	case fetch.Document, fetch.Image:
		hash := sha256.Sum256([]byte(want.URI))
		query, args = `coalesce(source_seq, 0) FROM {schema}.`+string(want.Kind)+` WHERE uri_hash = $1`, []any{hash[:]}
	case fetch.ContractRead:
		id, ok := tokenOf(in, want)
		if !ok {
			return 0, nil
		}
		query = `coalesce(read_seq, 0) FROM {schema}.token WHERE contract_id = $1 AND token_id = $2::numeric AND supply_seq IS NULL AND failed_seq IS NULL`
		args = []any{want.Contract, id}
	default:
		return 0, nil
	}
	query = strings.ReplaceAll(`SELECT `+query, "{schema}", pgx.Identifier{in}.Sanitize())
	err = w.config.Log.Pool().QueryRow(ctx, query, args...).Scan(&seq)
	switch {
	case errors.Is(err, pgx.ErrNoRows), err != nil && isSchemaGone(err):
		return 0, nil
	case err != nil:
		return 0, fmt.Errorf("look for what is known of %s: %w", web.Shorten(cmp.Or(want.URI, want.Contract)), err)
	}
	return seq, nil
}

// tokenOf returns the id of the token that a contract read is about, in decimal; ok is false if the schema has no tokens, or
// the read is about none.
func tokenOf(in string, want fetch.Want) (id string, ok bool) {
	of, err := schema.Parse(in)
	if err != nil || !slices.Contains(projections[of.Name], fetch.Document) {
		return "", false
	}
	if token.Kind(of.Name) == token.FT {
		return "1", true
	}
	number := token.IDOf(want.Calls)
	if number == nil {
		return "", false
	}
	return number.String(), true
}

// knownReport returns the report at an event; nil if the event is none, because a document is in its URI.
func (w *worker) knownReport(ctx context.Context, seq int64) (*fetch.Report, error) {
	event, err := w.config.Log.Get(ctx, seq, true)
	if err != nil {
		return nil, fmt.Errorf("read the report at event %d: %w", seq, err)
	}
	if event.Path != fetch.PathReport {
		return nil, nil
	}
	report, err := fetch.DecodeReport(event.Body)
	if err != nil {
		return nil, fmt.Errorf("read the report at event %d: %w", seq, err)
	}
	return report, nil
}
