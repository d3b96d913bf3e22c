package importer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/jackc/pgx/v5"

	"strata/eventstore"
	"strata/eventstore/archive"
)

// Import appends the events of archives to the log. The package comment describes what it stores, and how an interrupted
// import resumes. The Result tells what was appended, even if there is an error.
//
// Errors: those of errors.go, *archive.LineError, eventstore.ErrUnavailable, and the context's.
func Import(ctx context.Context, log *eventstore.Log, o Options) (result Result, err error) {
	if o.Stdin == nil {
		o.Stdin = os.Stdin
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.batchEvents == 0 {
		o.batchEvents = batchEvents
	}
	if o.freeSpace == nil {
		o.freeSpace = freeSpace
	}
	if o.Progress != nil {
		defer func() { o.Progress.Done(result, err) }()
	}
	p, err := prepare(ctx, log, o)
	if err != nil {
		return result, err
	}
	defer p.close()
	c := newCounts(p.inputs)
	stop := c.report(o.Progress)
	defer stop()

	next := p.size + 1 // position of the next event, unless another process appends
	for i, in := range p.inputs {
		c.begin(i)
		w := writer{log: log, options: o, in: in, row: p.rows[i], counts: c, next: &next, late: i < p.last}
		file, err := w.run(ctx)
		result.Files = append(result.Files, file)
		result.Events += file.Events
		result.Bytes += file.Bytes
		if err != nil {
			return result, describe(in, file, err)
		}
		text := "archive imported"
		if file.AlreadyImported() {
			text = "archive was already imported; nothing to do"
		}
		o.Logger.LogAttrs(ctx, slog.LevelInfo, text, slog.String("file", in.name), slog.String("dialect", file.Dialect.String()),
			slog.Int64("events", file.Events), slog.Int64("known", file.Known))
	}
	return result, nil
}

// describe adds to an error how many events are stored, and how to go on.
func describe(in *input, file FileResult, err error) error {
	var line *archive.LineError
	switch {
	case errors.As(err, &line) && errors.Is(err, archive.ErrNotJSON):
		return fmt.Errorf("import: %w; %d events before it are stored. If the dialect is right and you want such bodies, "+
			"run the import again with --any-payload", err, file.Known+file.Events)
	case errors.As(err, &line):
		return fmt.Errorf("import: %w; %d events before it are stored. Repair the file from this line on, then run the import again to resume",
			err, file.Known+file.Events)
	case errors.Is(err, eventstore.ErrUnavailable):
		return fmt.Errorf("import: %s: %w; %d events are stored, run the import again to resume", in.name, err, file.Known+file.Events)
	}
	return fmt.Errorf("import: %w", err)
}

// writer appends the events of one archive.
type writer struct {
	log     *eventstore.Log
	options Options
	in      *input
	row     progressRow
	counts  *counts
	next    *int64
	late    bool // the log already holds events of a later file
}

func (w *writer) run(ctx context.Context) (file FileResult, err error) {
	file = FileResult{Name: w.in.name, Archive: w.in.archive, Known: w.row.events}
	if d := w.options.Dialect; d != archive.Auto && w.row.events > 0 && w.row.dialect != d.String() {
		return file, fmt.Errorf("%w: %s: %d events were read as %s, not %s; leave the dialect out, or import into a new log",
			ErrDialect, w.in.name, w.row.events, w.row.dialect, d)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the reader if the writer fails
	ahead := newReadAhead(ctx, w.in, w.row, w.options, w.counts)
	for {
		var (
			b  *batch
			ok bool
		)
		select {
		case b, ok = <-ahead.batches:
		case <-ctx.Done(): // the reader may be blocked in a pipe
			return file, ctx.Err()
		}
		if !ok {
			break
		}
		if err := w.write(ctx, b); err != nil {
			if ctx.Err() != nil {
				err = ctx.Err() // the driver's error is about a broken connection
			}
			return file, err
		}
		n, bytes := int64(len(b.events)), b.payloadBytes()
		file.Events += n
		file.Bytes += bytes
		file.Dialect = b.dialect
		w.counts.events.Add(n)
		w.counts.bytes.Add(bytes)
		ahead.release(b)
	}
	file.Dialect = ahead.dialect
	if ahead.err != nil {
		return file, ahead.err
	}
	if err := w.finish(ctx, ahead.dialect); err != nil {
		return file, err
	}
	file.Finished = true
	return file, nil
}

// write appends a batch and updates the row, or does neither.
func (w *writer) write(ctx context.Context, b *batch) error {
	if w.late && !w.options.Append {
		return fmt.Errorf("%w: %s has new events from line %d on, which would follow those of later files; use --append to allow that",
			ErrNotEmpty, w.in.name, w.row.lines+1)
	}
	if w.options.Admit != nil {
		if err := w.options.Admit(ctx, b.events); err != nil {
			return fmt.Errorf("%s: %w", w.in.name, err)
		}
	}
	row := w.row
	row.exists, row.finished = true, false
	row.lines, row.bytes, row.prefix, row.dialect = b.lines, b.bytes, b.prefix, b.dialect.String()
	row.events += int64(len(b.events))
	var ours error // not a fault of the database, although the Log wraps it in ErrUnavailable
	_, err := w.log.AppendBatch(ctx, b.events, func(tx pgx.Tx, first int64) error {
		if !w.options.Append && first != *w.next {
			ours = fmt.Errorf("%w: the next event would be %d, want %d; stop the other process, or use --append to let events mix",
				ErrConcurrent, first, *w.next)
			return ours
		}
		if err := row.save(ctx, tx, w.row); err != nil {
			if errors.Is(err, ErrConcurrent) {
				ours = err
			}
			return err
		}
		return nil
	})
	if ours != nil {
		return ours
	}
	if err != nil {
		return err
	}
	*w.next += int64(len(b.events))
	w.row = row
	return nil
}

// finish records that the whole file is imported.
func (w *writer) finish(ctx context.Context, d archive.Dialect) error {
	row := w.row
	if row.finished {
		return nil
	}
	if row.dialect == "" { // no events
		if d == archive.Auto {
			d = archive.Copy
		}
		row.dialect = d.String()
	}
	row.finished, row.exists = true, true
	if err := row.save(ctx, w.log.Pool(), w.row); err != nil {
		return err
	}
	w.row = row
	return nil
}
