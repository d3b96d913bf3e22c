package bench

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"strata/eventstore/archive"
	"strata/internal/synth/simulate"
)

// Recording returns what a node posted while it was recorded in an archive.
func Recording(path string) (posts []simulate.Post) {
	file := Must(os.Open(path))
	defer func() { _ = file.Close() }()
	records := archive.NewReader(file, archive.Options{Name: filepath.Base(path)})
	for {
		r, err := records.Next()
		if errors.Is(err, io.EOF) {
			return posts
		}
		Check(err)
		r = r.Clone()
		posts = append(posts, simulate.Post{Path: r.Path, Body: r.Payload})
	}
}
