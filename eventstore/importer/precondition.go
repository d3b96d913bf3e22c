package importer

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"strata/eventstore"
)

// plan is the state of the files and the log when Import starts.
type plan struct {
	inputs []*input
	rows   []progressRow // one for each input
	last   int           // index of the last input that an earlier run has started; -1: none
	size   int64         // of the log
}

// prepare makes all checks that are possible before the first event is appended.
func prepare(ctx context.Context, log *eventstore.Log, o Options) (p plan, err error) {
	p.last = -1
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	if len(o.Files) == 0 {
		return p, fmt.Errorf("import: no file given")
	}
	names := map[string]string{}
	for _, name := range o.Files {
		in, err := inspect(ctx, name, o.Stdin)
		if err != nil {
			return p, fmt.Errorf("import: %w", err)
		}
		p.inputs = append(p.inputs, in)
		if other, twice := names[in.archive]; twice {
			return p, fmt.Errorf("import: %s and %s are the same archive (same name, same first line): name it once", other, name)
		}
		names[in.archive] = name
	}
	if p.size, err = log.Size(ctx); err != nil {
		return p, fmt.Errorf("import: %w", err)
	}
	for i, in := range p.inputs {
		row, err := loadRow(ctx, log.Pool(), in.archive)
		if err != nil {
			return p, fmt.Errorf("import: %w", err)
		}
		if row.exists {
			p.last = i
		}
		p.rows = append(p.rows, row)
	}
	if !o.Append {
		if err := p.checkOrder(); err != nil {
			return p, fmt.Errorf("import: %w", err)
		}
	}
	if o.DataDir != "" {
		if err := p.checkSpace(o.DataDir, o.freeSpace); err != nil {
			return p, fmt.Errorf("import: %w", err)
		}
	}
	return p, nil
}

// checkOrder checks that the log is empty, or consists of these archives in this order, all complete but the last.
func (p plan) checkOrder() error {
	const hint = "import into an empty log, or use --append to add these events after those"
	var (
		known int64
		begun time.Time // the newest start of the files so far
	)
	for i, row := range p.rows {
		known += row.events
		if row.exists && row.started.Before(begun) {
			return fmt.Errorf("%w: %s was imported before the files that precede it here; name them in the order in which they were imported, or use --append",
				ErrNotEmpty, p.inputs[i].name)
		}
		if row.exists {
			begun = row.started
		}
		if i < p.last && !row.finished {
			return fmt.Errorf("%w: %s was imported, while %s before it is not complete; %s",
				ErrNotEmpty, p.inputs[p.last].name, p.inputs[i].name, hint)
		}
	}
	if known != p.size {
		return fmt.Errorf("%w: it has %d events, of which %d are from these files; %s", ErrNotEmpty, p.size, known, hint)
	}
	return nil
}

// Lower bounds for the size of the log, with its indexes and digests, per byte of a file with the same events. Real
// archives need more: the bounds detect a disk that is clearly too small, and never refuse one that would do.
const (
	bytesPerPlainByte = 0.4
	bytesPerGzipByte  = 2
)

func (p plan) checkSpace(dir string, freeSpace func(string) (uint64, bool, error)) error {
	var need float64
	for i, in := range p.inputs {
		switch row := p.rows[i]; {
		case row.finished:
		case !in.gzip:
			need += bytesPerPlainByte * float64(max(0, in.size-row.bytes))
		case !row.exists: // the rest of a compressed file has an unknown size
			need += bytesPerGzipByte * float64(in.size)
		}
	}
	free, known, err := freeSpace(dir)
	if err != nil {
		return fmt.Errorf("read the free space of %s: %w", dir, err)
	}
	if known && need > float64(free) {
		if abs, err := filepath.Abs(dir); err == nil {
			dir = abs
		}
		return fmt.Errorf("%w: the log will need at least %s, %s has %s left; make room, or move the data directory to a larger disk",
			ErrNoSpace, byteCount(int64(need)), dir, byteCount(int64(min(free, 1<<62))))
	}
	return nil
}

func (p plan) close() {
	for _, in := range p.inputs {
		if in.once && !in.started {
			in.close()
		}
	}
}
