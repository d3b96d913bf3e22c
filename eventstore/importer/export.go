package importer

import (
	"context"
	"fmt"
	"io"

	"strata/eventstore"
	"strata/eventstore/archive"
)

// ExportOptions configures Export. The zero value exports the whole log.
type ExportOptions struct {
	// From and To are the first and the last position; 0 means the log's first and its current last.
	From, To int64
	// Dialect is the dialect of the output. archive.Auto means the dialect of the imported archives if the log holds
	// nothing but archives of one dialect, and otherwise archive.Copy, which can carry any body.
	Dialect archive.Dialect
}

// ExportResult describes what Export wrote.
type ExportResult struct {
	// Events is the number of events, and Bytes the total size of their bodies.
	Events, Bytes int64
	// From and To are the first and the last position; From is larger if there was nothing to write.
	From, To int64
	// Dialect is the dialect of the output.
	Dialect archive.Dialect
}

const (
	// pageEvents and pageBytes bound the events in memory, except for one event that is larger.
	pageEvents = 2000
	pageBytes  = 8 << 20
)

// Export writes events as an archive, in the log's order. An event from an archive gets the text of its first two columns
// back. Any other event gets its position as id (or the id after the largest one so far, if that is larger) and its time
// of receipt. It returns archive.ErrNotRaw for an event that the Raw dialect can't carry. An error leaves whole lines.
func Export(ctx context.Context, log *eventstore.Log, w io.Writer, o ExportOptions) (ExportResult, error) {
	size, err := log.Size(ctx)
	if err != nil {
		return ExportResult{}, fmt.Errorf("export: %w", err)
	}
	result := ExportResult{From: max(o.From, 1), To: o.To}
	if result.To <= 0 || result.To > size {
		result.To = size
	}
	imported, err := importedDialect(ctx, log, size)
	if err != nil {
		return result, fmt.Errorf("export: %w", err)
	}
	if result.Dialect = o.Dialect; result.Dialect == archive.Auto {
		if result.Dialect = imported; imported == archive.Auto {
			result.Dialect = archive.Copy
		}
	}
	records := recorder{dialect: result.Dialect, keepTime: result.Dialect == imported}
	if result.From > 1 {
		if records.newest, err = newestID(ctx, log, result.From); err != nil {
			return result, fmt.Errorf("export: %w", err)
		}
	}
	out := archive.NewWriter(w, result.Dialect)
	if err := export(ctx, log, out, &records, &result); err != nil {
		return result, fmt.Errorf("export: %w", err)
	}
	return result, nil
}

func export(ctx context.Context, log *eventstore.Log, out *archive.Writer, records *recorder, result *ExportResult) (err error) {
	defer func() {
		if flushErr := out.Flush(); err == nil {
			err = flushErr
		}
	}()
	for after := result.From - 1; after < result.To; {
		page, err := log.Read(ctx, eventstore.Range{
			After: after, Events: int(min(pageEvents, result.To-after)), Bytes: pageBytes,
		})
		if err != nil {
			return err
		}
		if len(page) == 0 {
			return fmt.Errorf("the log has no event %d, although its size was at least %d", after+1, result.To)
		}
		for i := range page {
			e := &page[i]
			if err := out.Write(records.record(e)); err != nil {
				return fmt.Errorf("event %d of the log: %w", e.Seq, err)
			}
			result.Events++
			result.Bytes += e.Size
			after = e.Seq
		}
	}
	return nil
}

// importedDialect returns the dialect of the imported archives if a log of this size consists of archives of one dialect
// only, and otherwise Auto.
func importedDialect(ctx context.Context, log *eventstore.Log, size int64) (archive.Dialect, error) {
	var (
		dialects, events int64
		name             string
	)
	err := log.Pool().QueryRow(ctx, `
		SELECT count(DISTINCT dialect), coalesce(min(dialect), ''), coalesce(sum(events), 0)::bigint
		FROM log.import WHERE events > 0`).Scan(&dialects, &name, &events)
	if err != nil {
		return archive.Auto, fmt.Errorf("look up what was imported: %w", err)
	}
	if dialects != 1 || events < size { // events > size: an import has appended meanwhile
		return archive.Auto, nil
	}
	return archive.ParseDialect(name)
}

// newestID returns the largest id that an export of the events before a position assigns, as recorder.newest counts it.
func newestID(ctx context.Context, log *eventstore.Log, before int64) (int64, error) {
	var newest int64
	// Ids that an export assigns grow by at least one per event: after an archive's id n and k events without an id, the
	// last id is n + k or the event's position, whichever is larger.
	err := log.Pool().QueryRow(ctx, `
		WITH given AS (
			SELECT seq, CASE WHEN source LIKE 'archive:%' AND origin ~ '^[+-]?[0-9]+\t'
			                 THEN split_part(origin, E'\t', 1)::numeric END AS id,
			       source LIKE 'archive:%' AND coalesce(origin ~ '^\t', false) AS none
			FROM log.event WHERE seq < $1
		), counted AS (
			SELECT id, seq, none, count(*) FILTER (WHERE id IS NULL AND NOT none) OVER (ORDER BY seq DESC) AS made FROM given
		)
		SELECT least(greatest(max(coalesce(id, seq) + CASE WHEN id IS NULL THEN made - 1 ELSE made END), 0), 9223372036854775807)::bigint
		FROM counted WHERE NOT none`, before).Scan(&newest)
	if err != nil {
		return 0, fmt.Errorf("look up the ids given before event %d: %w", before, err)
	}
	return newest, nil
}
