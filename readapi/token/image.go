package token

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"

	"github.com/jackc/pgx/v5"

	"strata/domain/fetch"
	"strata/metadata/picture"
	"strata/readapi/internal/answer"
	"strata/readapi/internal/engine"
)

// registerImages registers the copies of images, if the server keeps any. A copy never changes, as its path is its
// digest.
func (a *api) registerImages() {
	if a.metadata.Images == nil {
		return
	}
	handler := picture.Handler(a.metadata.Images, a.findImage, a.Config.Logger)
	a.Untraceable("it is a copy of what the log has: the token's provenance names the event that brought it", "image")
	serve := func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, answer.WithFewRanges(r)) }
	a.Plain("GET /images/{sha256}", "image", serve)
	a.Plain("GET /images/{sha256}/thumb", "image", serve)
}

type knownImage struct {
	seq           int64
	contentType   string
	width, height int
}

// findImage finds an image by the SHA-256 of its bytes. body reads the bytes from the report that brought them. The
// error is picture.ErrNotFound when no projection has the image.
func (a *api) findImage(ctx context.Context, digest [sha256.Size]byte) (facts fetch.ImageFacts, body func(context.Context) ([]byte, error), err error) {
	ctx, cancel := context.WithTimeout(ctx, a.Config.RequestTimeout)
	defer cancel()
	s, err := a.Begin(ctx, nil)
	if err != nil {
		return facts, nil, err
	}
	defer s.Close()
	b := s.Batch()
	var found []*engine.Result[knownImage]
	for _, kind := range activeKinds(s) {
		found = append(found, engine.Query(b, func(i *knownImage) []any { return []any{&i.seq, &i.contentType, &i.width, &i.height} }, `
			SELECT ARRAY[source_seq], source_seq, content_type, coalesce(width, 0), coalesce(height, 0)
			FROM {`+string(kind)+`}.image WHERE sha256 = $1 AND source_seq IS NOT NULL LIMIT 1`, digest[:]))
	}
	if err := b.Run(ctx); err != nil {
		return facts, nil, err
	}
	for _, r := range found {
		if image, ok := r.First(); ok {
			facts = fetch.ImageFacts{SHA256: hex.EncodeToString(digest[:]), ContentType: image.contentType, Width: image.width, Height: image.height}
			return facts, func(ctx context.Context) ([]byte, error) { return a.imageBytes(ctx, image.seq) }, nil
		}
	}
	return facts, nil, picture.ErrNotFound
}

// imageBytes reads an image from the report at an event of the log.
func (a *api) imageBytes(ctx context.Context, seq int64) ([]byte, error) {
	reports, err := a.reports(ctx, seq)
	if err != nil {
		return nil, err
	}
	report := reports[seq]
	if report == nil {
		return nil, fmt.Errorf("event %d is no report", seq)
	}
	image, problem := report.ResourceBody()
	if problem != nil {
		return nil, fmt.Errorf("event %d has no image: %s", seq, problem.Detail)
	}
	return image, nil
}

// reports reads the reports at events of the log. Those of events that are not here are left out: a replica may have the tables
// and not the log. So are events of other kinds, such as a recheck, which has no bodies.
func (a *api) reports(ctx context.Context, seqs ...int64) (map[int64]*fetch.Report, error) {
	reports := map[int64]*fetch.Report{}
	if len(seqs) == 0 {
		return reports, nil
	}
	rows, err := a.Config.Pool.Query(ctx, `
		SELECT e.seq, h.body FROM log.event e JOIN log.event h ON h.seq = coalesce(e.body_seq, e.seq) WHERE e.seq = ANY ($1) AND e.path = $2`, seqs, fetch.PathReport)
	if err != nil {
		return nil, fmt.Errorf("read %d reports: %w", len(seqs), err)
	}
	var seq int64
	var body []byte
	_, err = pgx.ForEachRow(rows, []any{&seq, &body}, func() (err error) {
		reports[seq], err = fetch.DecodeReport(body)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read %d reports: %w", len(seqs), err)
	}
	return reports, nil
}
