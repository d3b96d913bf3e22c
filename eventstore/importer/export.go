package importer

import (
	"context"
	"fmt"
	"io"

	"strata/eventstore"
	"strata/eventstore/archive"
)

// ExportOptions of Export. The zero value exports the whole log.
type ExportOptions struct {
	// From and To are the first and the last position; 0 means the log's first and, as of now, its last.
	From, To int64
	// Dialect of the output. With archive.Auto it is the dialect of the archives if the log holds nothing but
	// archives of one dialect, and archive.Copy, which can carry any body, otherwise.
	Dialect archive.Dialect
}

// ExportResult is what Export wrote.
type ExportResult struct {
	// Events and Bytes (of bodies).
	Events, Bytes int64
	// From and To are the first and the last position; From is larger when there was nothing to write.
	From, To int64
	// Dialect in use.
	Dialect archive.Dialect
}

const (
	// pageEvents and pageBytes bound what is in memory at once, apart from one event that is larger.
	pageEvents = 2000
	pageBytes  = 8 << 20
)

// Export writes events as an archive, in the log's order. An event from an archive gets its first two columns back;
// any other has its position as id (or the id after the largest one before it, where that is larger) and its time of
// receipt. It returns archive.ErrNotRaw for an event that the Raw dialect can't carry. Whatever was written before an
// error is whole lines.
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
			return fmt.Errorf("the log has no event %d, though its size was %d or more", after+1, result.To)
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

// importedDialect is the one dialect of all the archives that a log of this size consists of, or Auto.
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
	if dialects != 1 || events < size { // more: events were appended meanwhile, all of them by imports
		return archive.Auto, nil
	}
	return archive.ParseDialect(name)
}

// newestID is the largest id that an export of what comes before a position gives, as recorder counts it.
func newestID(ctx context.Context, log *eventstore.Log, before int64) (int64, error) {
	var newest int64
	// Events without an id of their own get one that grows by at least one each: with k of them after an archive's
	// id n, the last has n + k or its own position, whichever is larger.
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
