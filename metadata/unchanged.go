package metadata

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"strata/domain/fetch"
)

// unchangedLeast is the size of the smallest body that a report leaves out, in bytes: naming another event is not much
// shorter.
const unchangedLeast = 256

// leaveOut replaces the body of a document or an image by the event whose report has it, if that is the one that the
// projection knows.
func (w *worker) leaveOut(ctx context.Context, schema string, report *fetch.Report) error {
	kind := report.Want.Kind
	if kind != fetch.Document && kind != fetch.Image {
		return nil
	}
	body, problem := report.ResourceBody()
	if problem != nil || len(body) < unchangedLeast {
		return nil
	}
	known, seq, err := w.knownReport(ctx, schema, report.Want)
	if err != nil || known == nil {
		return err
	}
	before, problem := known.ResourceBody()
	if problem != nil || !bytes.Equal(before, body) || kind == fetch.Image && (known.Image == nil || report.Image == nil || *known.Image != *report.Image) {
		return nil
	}
	digest := sha256.Sum256(body)
	last := &report.Exchanges[len(report.Exchanges)-1]
	last.Body, last.Unchanged = nil, &fetch.Unchanged{Seq: seq, SHA256: hex.EncodeToString(digest[:])}
	return nil
}

// knownReport returns the report whose content a projection has for a document or image; nil if it has none.
func (w *worker) knownReport(ctx context.Context, schema string, want fetch.Want) (report *fetch.Report, seq int64, err error) {
	hash := sha256.Sum256([]byte(want.URI))
	err = w.config.Log.Pool().QueryRow(ctx, `SELECT coalesce(source_seq, 0) FROM `+pgx.Identifier{schema, string(want.Kind)}.Sanitize()+` WHERE uri_hash = $1`,
		hash[:]).Scan(&seq)
	switch {
	case errors.Is(err, pgx.ErrNoRows), err != nil && isSchemaGone(err), err == nil && seq == 0:
		return nil, 0, nil
	case err != nil:
		return nil, 0, fmt.Errorf("look for what is known of %s: %w", shorten(want.URI, dataURLMax), err)
	}
	event, err := w.config.Log.Get(ctx, seq, true)
	if err != nil {
		return nil, 0, fmt.Errorf("read the report at event %d: %w", seq, err)
	}
	if event.Path != fetch.PathReport {
		return nil, 0, nil // a document in its URI
	}
	report, err = fetch.DecodeReport(event.Body)
	if err != nil {
		return nil, 0, fmt.Errorf("read the report at event %d: %w", seq, err)
	}
	return report, seq, nil
}
