package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"strata/domain/canonical"
	"strata/domain/nodeevent"
	"strata/eventstore"
	"strata/eventstore/archive"
)

// VerifyOptions configures verifications.
type VerifyOptions struct {
	// Download is a folder for files while they are used.
	Download string
	// Progress, if set, is told how many bytes of content were verified, and how many there are.
	Progress func(done, total int64)
}

// VerifyLog reads the events of a history, and checks that they have the Merkle root of its checkpoint.
func (o *Opened) VerifyLog(ctx context.Context, options VerifyOptions) error {
	frontier := eventstore.NewFrontier()
	err := o.EachEvent(ctx, o.Log.Files, options, func(f File, e *eventstore.Event, _ *eventstore.Body) error {
		if err := frontier.Append(eventstore.LeafHash(e)); err != nil || e.Seq < f.Last {
			return err
		}
		return sameRoot(frontier, f.State)
	})
	if err == nil && o.HasLog() {
		err = sameRoot(frontier, o.Root)
	}
	return err
}

// EachEvent calls each with the events of files of the log, and their bodies. An event itself has none.
func (o *Opened) EachEvent(ctx context.Context, files []File, options VerifyOptions, each func(File, *eventstore.Event, *eventstore.Body) error) error {
	done := int64(0)
	return o.each(ctx, files, options.Download, func(f File, content *Content) error {
		err := eachEvent(f, content, func(e *eventstore.Event, body *eventstore.Body) error {
			if options.Progress != nil {
				options.Progress(done+f.ContentBytes-content.Left(), o.Log.ContentBytes())
			}
			return each(f, e, body)
		})
		done += f.ContentBytes
		return err
	})
}

// VerifyTables reads the files of the read tables, and checks that they are those of the manifest. What is in them only a fold of the log
// can tell.
func (o *Opened) VerifyTables(ctx context.Context, options VerifyOptions) error {
	for _, set := range o.Tables {
		err := o.EachTable(ctx, set, options.Download, func(_ TableFile, rows io.Reader) error {
			_, err := io.Copy(io.Discard, rows)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func sameRoot(frontier eventstore.Frontier, want string) error {
	root, err := frontier.Root()
	if err != nil {
		return err
	}
	if got := fmt.Sprintf("%x", root); got != want {
		return fmt.Errorf("the root of the first %d events is %s, want %s", frontier.Size(), got, want)
	}
	return nil
}

// VerifyChain reads the canonical chain of a history, and checks that it has no holes: each block is the child of the one before, each
// Bitcoin block follows the one before, and each body is in its canonical form.
func (o *Opened) VerifyChain(ctx context.Context, options VerifyOptions) error {
	v := chainVerifier{}
	return o.EachLine(ctx, o.Chain.Files, options, func(f File, rec archive.Record) error {
		if err := v.take(rec); err != nil || rec.End < f.ContentBytes {
			return err
		}
		switch {
		case v.block == nil || int64(v.block.Height) != f.Last:
			return fmt.Errorf("%w: it does not end with the block at height %d", errContent, f.Last)
		case v.block.IndexBlockHash.String() != f.State:
			return fmt.Errorf("its last block is %s, and the manifest says %s", v.block.IndexBlockHash, f.State)
		}
		return nil
	})
}

// EachLine calls each with the lines of files of the canonical chain, which are events. A payload is valid during the call.
func (o *Opened) EachLine(ctx context.Context, files []File, options VerifyOptions, each func(File, archive.Record) error) error {
	done := int64(0)
	return o.each(ctx, files, options.Download, func(f File, content *Content) error {
		err := eachLine(f, content, func(rec archive.Record) error {
			if options.Progress != nil {
				options.Progress(done+rec.End, o.Chain.ContentBytes())
			}
			return each(f, rec)
		})
		done += f.ContentBytes
		return err
	})
}

// eachLine calls each with the lines of a file of the chain.
func eachLine(f File, content *Content, each func(archive.Record) error) error {
	lines := archive.NewReader(content.Reader, archive.Options{Dialect: archive.Raw, Name: f.Path})
	for n := int64(0); ; n++ {
		rec, err := lines.Next()
		switch {
		case errors.Is(err, io.EOF) && n == f.Records:
			return nil
		case errors.Is(err, io.EOF):
			return fmt.Errorf("%w: %d lines, want %d", errContent, n, f.Records)
		case err != nil:
			return err
		}
		if err := each(rec); err != nil {
			return fmt.Errorf("line %d: %w", rec.Line, err)
		}
	}
}

// chainVerifier checks that lines follow each other.
type chainVerifier struct {
	block *nodeevent.Block     // the last one
	burn  *nodeevent.BurnBlock // the last one
	id    int64
	form  []byte
}

func (v *chainVerifier) take(rec archive.Record) error {
	if rec.ID != v.id+1 {
		return fmt.Errorf("its id is %d, want %d", rec.ID, v.id+1)
	}
	v.id = rec.ID
	payload, err := nodeevent.Decode(rec.Path, rec.Payload)
	if err != nil {
		return err
	}
	switch p := payload.(type) {
	case *nodeevent.Block:
		if b := v.block; b != nil && (p.Height != b.Height+1 || p.ParentIndexBlockHash != b.IndexBlockHash) {
			return fmt.Errorf("the block %s at height %d does not follow %s at %d", p.IndexBlockHash, p.Height, b.IndexBlockHash, b.Height)
		}
		if v.burn != nil && p.BurnBlockHeight > v.burn.Height {
			return fmt.Errorf("the block at height %d is anchored to the Bitcoin block %d, which has not come", p.Height, p.BurnBlockHeight)
		}
		v.form = canonical.AppendBlock(v.form[:0], p, v.block)
		v.block = p
	case *nodeevent.BurnBlock:
		if b := v.burn; b != nil && p.Height <= b.Height {
			return fmt.Errorf("the Bitcoin block %d comes after %d", p.Height, b.Height)
		}
		v.form = canonical.AppendBurnBlock(v.form[:0], p, v.burn)
		v.burn = p
	case *nodeevent.Attachments:
		if len(p.List) != 1 || len(p.Damaged) > 0 {
			return fmt.Errorf("want one attachment, got %d, and %d that are damaged", len(p.List), len(p.Damaged))
		}
		v.form = canonical.AppendAttachment(v.form[:0], &p.List[0])
	default:
		return fmt.Errorf("events of %s are not of the chain", rec.Path)
	}
	if !bytes.Equal(v.form, rec.Payload) {
		return fmt.Errorf("its body is not in its canonical form, which is %.200s…", v.form)
	}
	return nil
}

// DifferenceError says where the chains of two histories differ.
type DifferenceError struct {
	Line       int64  // in the file
	File       string // path of the first one
	One, Other string // id, time, path and the beginning of the body
}

// Error implements error.
func (d *DifferenceError) Error() string {
	return fmt.Sprintf("the chains differ, first at line %d of %s:\n  %s\n  %s", d.Line, d.File, d.One, d.Other)
}

// CompareChains compares the files of two canonical chains that have the same heights, and returns the height of the last one. It
// returns a *DifferenceError that names the first line that is not the same.
func CompareChains(ctx context.Context, one, other *Opened, options VerifyOptions) (last int64, err error) {
	last = -1
	for i := range min(len(one.Chain.Files), len(other.Chain.Files)) {
		a, b := one.Chain.Files[i], other.Chain.Files[i]
		if a.First != b.First {
			break
		}
		if err := compareFiles(ctx, one, a, other, b, options); err != nil {
			return last, err
		}
		if last = min(a.Last, b.Last); a.Last != b.Last {
			break
		}
	}
	return last, nil
}

// CompareFiles compares a file of a canonical chain with one of a folder, as far as both go. It returns a *DifferenceError for another
// line.
func CompareFiles(ctx context.Context, one *Opened, a File, dir *Dir, b File, options VerifyOptions) error {
	return compareFiles(ctx, one, a, &Opened{Manifest: &Manifest{}, Source: dir}, b, options)
}

func compareFiles(ctx context.Context, one *Opened, a File, other *Opened, b File, options VerifyOptions) error {
	if a.ContentSHA256 == b.ContentSHA256 {
		return nil
	}
	err := firstDifference(ctx, one, other, a, b, options)
	if err == nil && a.Last == b.Last {
		err = fmt.Errorf("%s and %s have other hashes, and the same lines", a.Path, b.Path)
	}
	return err
}

// firstDifference compares two files line by line, as far as both go.
func firstDifference(ctx context.Context, one, other *Opened, a, b File, options VerifyOptions) error {
	return one.each(ctx, []File{a}, options.Download, func(a File, mine *Content) error {
		return other.each(ctx, []File{b}, options.Download, func(b File, its *Content) error {
			for line := int64(1); line <= min(a.Records, b.Records); line++ {
				x, err := mine.ReadBytes('\n')
				y, otherErr := its.ReadBytes('\n')
				if err = errors.Join(err, otherErr); err != nil {
					return err
				}
				if !bytes.Equal(x, y) {
					at := 0
					for at < min(len(x), len(y)) && x[at] == y[at] {
						at++
					}
					return &DifferenceError{line, a.Path, around(x, at), around(y, at)}
				}
			}
			_, err := io.Copy(io.Discard, mine) // so that the hashes are checked
			_, otherErr := io.Copy(io.Discard, its)
			return errors.Join(err, otherErr)
		})
	})
}

// around shows the beginning of a line, and where it differs.
func around(line []byte, at int) string {
	const begin, width = 60, 160
	if at < begin+width {
		return fmt.Sprintf("%.*s…", begin+width, bytes.TrimSuffix(line, []byte{'\n'}))
	}
	return fmt.Sprintf("%s… at byte %d: …%.*s…", line[:begin], at, width, line[at-40:])
}
