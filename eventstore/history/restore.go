package history

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"strata/eventstore"
	"strata/eventstore/archive"
	"strata/eventstore/network"
)

// Errors of Restore.
var (
	// ErrNotEmpty means that the log has events that do not come from the history.
	ErrNotEmpty = errors.New("the log is not empty")
	// ErrNothing means that the history has no events.
	ErrNothing = errors.New("the history has no block yet")
	// ErrReorganised means that a log which was brought in part has blocks that the history does not have any more.
	ErrReorganised = errors.New("the chain was reorganised below what the log has of it: use another database")
)

// RestoreOptions configures Restore.
type RestoreOptions struct {
	// Download is a folder for files while they are used. It is removed at the end.
	Download string
	// Progress, if set, is told how many bytes of content are there, and how many there will be.
	Progress func(done, total int64)
}

// Restore brings the events of a history into an empty log: as they were received, at their positions, so that the log has the Merkle root
// of the history's checkpoint then; or those of the canonical chain, if the history has only these. An interrupted call is made again, with
// the same history or a later one of its publisher, and goes on.
func Restore(ctx context.Context, log *eventstore.Log, o *Opened, options RestoreOptions) error {
	files, events := o.Log.Files, o.Log.Last
	if !o.HasLog() {
		files, events = o.Chain.Files, o.Chain.records()
	}
	if len(files) == 0 {
		return fmt.Errorf("%s: %w", o.Source, ErrNothing)
	}
	size, finished, err := begin(ctx, log, o, events)
	if err != nil || finished {
		return err
	}
	guard, err := network.NewGuard(ctx, log)
	if err != nil {
		return err
	}
	r := &restore{log: log, guard: guard, options: options, size: size, source: "history:" + o.Publisher()}
	for _, f := range files {
		r.total += f.ContentBytes
	}
	for len(files) > 0 && r.end+files[0].Records <= size {
		r.done += files[0].ContentBytes
		r.end += files[0].Records
		files = files[1:]
	}
	read := r.file
	if !o.HasLog() {
		read = r.chainFile
	}
	if err := o.each(ctx, files, options.Download, func(f File, c *Content) error { return read(ctx, f, c) }); err != nil {
		return err
	}
	if err := finish(ctx, log, o, events); err != nil || options.Download == "" {
		return err
	}
	return os.RemoveAll(options.Download)
}

// begin notes that the log comes from a history, and returns how much of it is there.
func begin(ctx context.Context, log *eventstore.Log, o *Opened, events int64) (size int64, finished bool, err error) {
	err = pgx.BeginFunc(ctx, log.Pool(), func(tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, `SELECT size FROM log.head FOR UPDATE`).Scan(&size); err != nil {
			return err
		}
		var publisher string
		err := tx.QueryRow(ctx, `SELECT publisher, finished FROM log.bootstrap`).Scan(&publisher, &finished)
		switch {
		case errors.Is(err, pgx.ErrNoRows) && size > 0:
			return fmt.Errorf("%w: it has %d events of its own; use another database", ErrNotEmpty, size)
		case errors.Is(err, pgx.ErrNoRows):
		case err != nil:
			return err
		case publisher != o.Key:
			return fmt.Errorf("%w: it comes from the history of %s, not of %s", ErrNotEmpty, publisher, o.Key)
		case finished:
			return nil
		case size > events:
			return fmt.Errorf("%w: it has %d events of a later manifest than this one, which has %d", ErrNotEmpty, size, events)
		}
		_, err = tx.Exec(ctx, `
			INSERT INTO log.bootstrap (publisher, manifest, events, finished) VALUES ($1, $2, $3, false)
			ON CONFLICT ((true)) DO UPDATE SET manifest = excluded.manifest, events = excluded.events`, o.Key, o.Digest, events)
		return err
	})
	if err != nil {
		err = fmt.Errorf("begin to bring a history into the log: %w", err)
	}
	return size, finished, err
}

// finish notes that the log is whole, if it has the root that was signed, where one was.
func finish(ctx context.Context, log *eventstore.Log, o *Opened, events int64) error {
	size, root, err := log.Checkpoint(ctx)
	if err != nil {
		return err
	}
	if got := fmt.Sprintf("%x", root); size != events || o.HasLog() && got != o.Root {
		return fmt.Errorf("the log has %d events with the root %s, and the history of %s has %d with %s", size, got, o.Source, events, o.Root)
	}
	_, err = log.Pool().Exec(ctx, `UPDATE log.bootstrap SET finished = true`)
	return err
}

// CheckWhole returns an error for a log that lacks events of the history which it comes from: what somebody appended would stand in their
// place.
func CheckWhole(ctx context.Context, log *eventstore.Log) error {
	what, err := Unfinished(ctx, log)
	if err == nil && what != "" {
		err = fmt.Errorf("%s: strata history bootstrap brings the others, and so does strata serve --bootstrap", what)
	}
	return err
}

// Unfinished describes a log that a history has not been brought into whole; an empty text for any other.
func Unfinished(ctx context.Context, log *eventstore.Log) (what string, err error) {
	var publisher string
	var events, size int64
	err = log.Pool().QueryRow(ctx, `SELECT publisher, events, (SELECT size FROM log.head) FROM log.bootstrap WHERE NOT finished`).Scan(&publisher, &events, &size)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return fmt.Sprintf("the log has %d of the %d events of the history of %s", size, events, publisher), err
}

// restore is a call of Restore.
type restore struct {
	log         *eventstore.Log
	guard       *network.Guard // refuses events of another network
	options     RestoreOptions
	source      string // of events of the chain
	size        int64  // of the log
	end         int64  // of it, after the files that have been read
	done, total int64  // bytes of content
}

// Bounds of a transaction.
const (
	restoreBytes  = 8 << 20
	restoreEvents = 4096
)

// file appends the events of a file that the log lacks, and checks its root.
func (r *restore) file(ctx context.Context, f File, content *Content) error {
	err := r.pass(ctx, f, func(ctx context.Context, send func(in eventstore.Incoming) error) error {
		there := r.size // r.size grows meanwhile
		return eachEvent(f, content, func(e *eventstore.Event, body *eventstore.Body) error {
			r.progress(f, content.Left())
			if e.Seq <= there {
				return nil
			}
			return send(eventstore.Incoming{
				ReceivedAt: e.ReceivedAt, Source: e.Source, Path: e.Path, ContentType: e.ContentType, Origin: e.Origin, Body: body,
			})
		})
	})
	if err != nil {
		return err
	}
	size, root, err := r.log.Checkpoint(ctx)
	if err != nil {
		return err
	}
	if got := fmt.Sprintf("%x", root); size != f.Last || got != f.State {
		return fmt.Errorf("the log has %d events with the root %s now, want %d with %s: it does not begin as this history does; use another database", size, got, f.Last, f.State)
	}
	return nil
}

// chainFile appends the events of a file of the canonical chain that the log lacks. Their numbers are positions of the log.
func (r *restore) chainFile(ctx context.Context, f File, content *Content) error {
	return r.pass(ctx, f, func(ctx context.Context, send func(in eventstore.Incoming) error) error {
		there, next := r.size, r.end
		return eachLine(f, content, func(rec archive.Record) error {
			r.progress(f, content.Left())
			if next++; rec.ID != next {
				return fmt.Errorf("%w: its number is %d, want %d", errContent, rec.ID, next)
			}
			body := eventstore.NewBody(slices.Clone(rec.Payload))
			if rec.ID > there {
				return send(eventstore.Incoming{ReceivedAt: rec.ReceivedAt, Source: r.source, Path: rec.Path, ContentType: "application/json", Body: body})
			}
			if rec.ID < there {
				return nil
			}
			last, err := r.log.Get(ctx, there, false)
			if err == nil && last.SHA256 != body.SHA256() {
				err = ErrReorganised
			}
			return err
		})
	})
}

func (r *restore) progress(f File, left int64) {
	if r.options.Progress != nil {
		r.options.Progress(r.done+f.ContentBytes-left, r.total)
	}
}

// pass appends what read sends, in batches. The next events are read while some are appended.
func (r *restore) pass(ctx context.Context, f File, read func(ctx context.Context, send func(in eventstore.Incoming) error) error) error {
	both, ctx := errgroup.WithContext(ctx)
	batches := make(chan []eventstore.Incoming)
	var batch []eventstore.Incoming
	var held int64
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		select {
		case batches <- batch:
			batch, held = nil, 0
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	both.Go(func() error {
		for batch := range batches {
			if err := r.append(ctx, batch); err != nil {
				return err
			}
		}
		return nil
	})
	both.Go(func() error {
		defer close(batches)
		err := read(ctx, func(in eventstore.Incoming) error {
			batch = append(batch, in)
			if held += in.Body.Size(); held < restoreBytes && len(batch) < restoreEvents {
				return nil
			}
			return flush()
		})
		if err == nil {
			err = flush()
		}
		return err
	})
	err := both.Wait()
	r.done += f.ContentBytes
	r.end += f.Records
	return err
}

// append appends events, which must be the next ones.
func (r *restore) append(ctx context.Context, batch []eventstore.Incoming) error {
	if err := r.guard.Admit(ctx, batch); err != nil {
		return err
	}
	var concurrent error
	first, err := r.log.AppendBatch(ctx, batch, func(_ pgx.Tx, first int64) error {
		if first != r.size+1 {
			concurrent = fmt.Errorf("%w: somebody else has appended event %d meanwhile", ErrNotEmpty, r.size+1)
		}
		return concurrent
	})
	if concurrent != nil {
		return concurrent
	}
	if err == nil {
		r.size = first + int64(len(batch)) - 1
	}
	return err
}

// eachEvent calls each with the events of a file of the log, whose bodies have the SHA-256 that the events say.
func eachEvent(f File, content *Content, each func(*eventstore.Event, *eventstore.Body) error) error {
	for seq := f.First; ; seq++ {
		e, err := readRecord(content.Reader, content.Left())
		switch {
		case errors.Is(err, io.EOF) && seq == f.Last+1:
			return nil
		case errors.Is(err, io.EOF):
			return fmt.Errorf("%w: it ends before event %d", errContent, seq)
		case err != nil:
			return fmt.Errorf("event %d: %w", seq, err)
		case e.Seq != seq || seq > f.Last:
			return fmt.Errorf("%w: event %d stands where %d should", errContent, e.Seq, seq)
		}
		body := eventstore.NewBody(e.Body)
		if body.SHA256() != e.SHA256 {
			return fmt.Errorf("%w: the body of event %d has the SHA-256 %x, want %x", errContent, seq, body.SHA256(), e.SHA256)
		}
		e.Body = nil
		if err := each(&e, body); err != nil {
			return err
		}
	}
}
