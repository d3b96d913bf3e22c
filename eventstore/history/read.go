package history

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sync/errgroup"
)

// each reads the content of files, in order. download is a folder for what comes from far away.
func (o *Opened) each(ctx context.Context, files []File, download string, read func(File, *Content) error) error {
	type brought struct {
		file File
		path string
		keep bool
	}
	both, ctx := errgroup.WithContext(ctx)
	ahead := make(chan brought)
	both.Go(func() error { // the next file comes while one is read
		defer close(ahead)
		for _, f := range files {
			path, keep, err := fetch(ctx, o.Source, f, download)
			if err != nil {
				return fmt.Errorf("%s: %w", o.Source, err)
			}
			select {
			case ahead <- brought{f, path, keep}:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	both.Go(func() error {
		for b := range ahead {
			if err := readFile(b.file, b.path, read); err != nil {
				return fmt.Errorf("%s: %s: %w", o.Source, b.file.Path, err)
			}
			if b.keep {
				continue
			}
			if err := os.Remove(b.path); err != nil {
				return err
			}
		}
		return nil
	})
	return both.Wait()
}

// EachTable calls each with the content of the files of a set.
func (o *Opened) EachTable(ctx context.Context, set TableSet, download string, each func(TableFile, io.Reader) error) error {
	files, byPath := make([]File, len(set.Files)), map[string]TableFile{}
	for i, f := range set.Files {
		files[i], byPath[f.Path] = f.File, f
	}
	return o.each(ctx, files, download, func(f File, content *Content) error { return each(byPath[f.Path], content) })
}

func readFile(f File, path string, read func(File, *Content) error) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	content, err := openContent(f, in)
	if err != nil {
		return err
	}
	defer content.Close()
	if err := read(f, content); err != nil {
		return err
	}
	switch _, err := content.ReadByte(); { // its hash is checked at the end
	case err == nil:
		return fmt.Errorf("%w: there is something after the last record", errContent)
	case !errors.Is(err, io.EOF):
		return err
	}
	return nil
}
