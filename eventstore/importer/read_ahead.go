package importer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"strata/eventstore"
	"strata/eventstore/archive"
)

// readAhead reads an archive in its own goroutine, so that the next batch is ready when the database is.
type readAhead struct {
	in      *input
	row     progressRow // where to start
	options Options
	counts  *counts

	batches chan *batch // closed at the end, after err is set
	free    chan *batch // released by the writer
	err     error       // nil at the end of the file
	dialect archive.Dialect
}

// newReadAhead starts reading. The goroutine ends when ctx does, unless a read of the file blocks.
func newReadAhead(ctx context.Context, in *input, row progressRow, o Options, c *counts) *readAhead {
	const ahead = 2 // number of batches: one in the database, one ready or being filled
	in.started = true
	r := &readAhead{in: in, row: row, options: o, counts: c, batches: make(chan *batch), free: make(chan *batch, ahead)}
	for range ahead {
		r.free <- newBatch(o.batchEvents)
	}
	go func() {
		defer close(r.batches)
		r.err = r.run(ctx)
	}()
	return r
}

func (r *readAhead) run(ctx context.Context) error {
	if err := r.in.open(); err != nil {
		return err
	}
	defer r.in.close()
	digest := newPrefixDigest(r.in.text)
	lines := archive.NewReader(digest, archive.Options{
		Dialect: r.options.Dialect, Name: r.in.name, MaxLine: lineBytesMax, AnyPayload: r.options.AnyPayload,
	})
	if err := r.skip(ctx, lines, digest); err != nil {
		return err
	}
	source := sourcePrefix + r.in.base
	current, err := r.take(ctx)
	if err != nil {
		return err
	}
	path := "/" // the last path that was checked
	for {
		rec, err := lines.Next()
		if err == nil && rec.Path != path {
			if err = checkPath(r.in.name, rec); err == nil {
				path = rec.Path
			}
		}
		if err == nil {
			err = checkLength(r.in.name, source, rec)
		}
		r.dialect = lines.Dialect()
		if err != nil {
			// The events before the error are good.
			if sendErr := r.send(ctx, current, digest); sendErr != nil {
				return sendErr
			}
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		if !current.fits(rec.Payload) && len(current.events) > 0 {
			if current, err = r.exchange(ctx, current, digest); err != nil {
				return err
			}
		}
		large := !current.fits(rec.Payload)
		if large {
			// Do not copy it: it stays in the reader's buffer, and the reader waits until it is stored.
			current.events = append(current.events, incoming(source, rec, rec.Payload))
		} else {
			current.add(source, rec)
		}
		if err := digest.moveTo(rec.End); err != nil {
			return fmt.Errorf("%s: line %d: %w", r.in.name, rec.Line, err)
		}
		current.lines, current.bytes, current.dialect = rec.Line, rec.End, lines.Dialect()
		if large {
			if current, err = r.exchange(ctx, current, digest); err != nil {
				return err
			}
			if current, err = r.settle(ctx, current); err != nil {
				return err
			}
		}
	}
}

// skip reads the part that was imported before, and fails with ErrChanged if it has changed since.
func (r *readAhead) skip(ctx context.Context, lines *archive.Reader, digest *prefixDigest) error {
	changed := func(what string) error {
		return fmt.Errorf("%w: %s: %s; %d events of it were imported as %s; restore the file as it was then, or rename it if it is another archive",
			ErrChanged, r.in.name, what, r.row.events, r.row.archive)
	}
	for end := int64(0); end < r.row.bytes; {
		if err := ctx.Err(); err != nil {
			return err
		}
		rec, err := lines.Next()
		if errors.Is(err, io.EOF) {
			return changed(fmt.Sprintf("it ends after %d bytes, but %d were imported", end, r.row.bytes))
		}
		if err != nil {
			return changed(err.Error())
		}
		end = rec.End
		if err := digest.moveTo(end); err != nil {
			return err
		}
		r.counts.known.Add(1)
		if end > r.row.bytes || end == r.row.bytes && rec.Line != r.row.lines {
			return changed(fmt.Sprintf("no line %d ends at byte %d", r.row.lines, r.row.bytes))
		}
	}
	if digest.sum() != r.row.prefix {
		return changed(fmt.Sprintf("its first %d bytes (decompressed) differ", r.row.bytes))
	}
	if d := lines.Dialect().String(); r.row.events > 0 && d != r.row.dialect {
		return fmt.Errorf("%w: %s: %d events were read as %s, but the file now looks like %s; use --dialect %s",
			ErrDialect, r.in.name, r.row.events, r.row.dialect, d, r.row.dialect)
	}
	return nil
}

// exchange sends a batch and takes an empty one.
func (r *readAhead) exchange(ctx context.Context, b *batch, digest *prefixDigest) (*batch, error) {
	if err := r.send(ctx, b, digest); err != nil {
		return nil, err
	}
	return r.take(ctx)
}

// send hands a batch that ends at the digest's mark to the writer.
func (r *readAhead) send(ctx context.Context, b *batch, digest *prefixDigest) error {
	if len(b.events) == 0 {
		return nil
	}
	b.prefix = digest.sum()
	select {
	case r.batches <- b:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (r *readAhead) take(ctx context.Context) (*batch, error) {
	select {
	case b := <-r.free:
		b.reset()
		return b, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// settle waits until the writer has released every batch but inHand.
func (r *readAhead) settle(ctx context.Context, inHand *batch) (*batch, error) {
	other, err := r.take(ctx)
	if err != nil {
		return nil, err
	}
	r.free <- other
	return inHand, nil
}

// release gives a batch back to the reader.
func (r *readAhead) release(b *batch) { r.free <- b }

// checkPath refuses a path that a text column can't hold.
func checkPath(name string, rec archive.Record) error {
	if utf8.ValidString(rec.Path) && !strings.Contains(rec.Path, "\x00") {
		return nil
	}
	return &archive.LineError{Name: name, Line: rec.Line, Offset: rec.Offset, Want: "a path in UTF-8 without NUL", Got: fmt.Sprintf("%q", rec.Path)}
}

// checkLength refuses a line whose event would be too long for the log. Here the error can name the line.
func checkLength(name, source string, rec archive.Record) error {
	const short = 1 << 10 // below this no check is needed; the lines of a node's events are shorter
	if len(source)+len(rec.IDText)+len(rec.TimeText)+len(rec.Path) < short {
		return nil
	}
	in := eventstore.Incoming{Source: source, Path: rec.Path, ContentType: contentType, Origin: origin{id: rec.IDText, time: rec.TimeText}.String()}
	if err := in.CheckTexts(); err != nil {
		return &archive.LineError{
			Name: name, Line: rec.Line, Offset: rec.Offset, Want: "an id, a time and a path that are shorter",
			Got: fmt.Sprintf("%d bytes of them", len(rec.IDText)+len(rec.TimeText)+len(rec.Path)), Err: err,
		}
	}
	return nil
}
