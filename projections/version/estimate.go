package version

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/projections"
	"strata/projections/internal/register"
)

// Estimate is what a rebuild will need, judged by the versions that are there.
type Estimate struct {
	Parts []EstimatePart `json:"parts"`
	// Rows and Bytes are the sums of the parts.
	Rows  int64 `json:"rows"`
	Bytes int64 `json:"bytes"`
	// Seconds is how long the slowest part takes, since all are built at the same time; nil when the rate of any part
	// is not known.
	Seconds *float64 `json:"seconds"`
	// FreeBytes is the free space on the disk of the data directory; nil when that is not known.
	FreeBytes *int64 `json:"free_bytes"`
}

// EstimatePart is a version that would be built.
type EstimatePart struct {
	projections.Schema
	// Rows and Bytes are those of the active version.
	Rows  int64 `json:"rows"`
	Bytes int64 `json:"bytes"`
	// Items is how many items it has to fold.
	Items int64 `json:"items"`
	// Rate is how many items per second were folded when a version was last built; nil when that was not measured.
	Rate    *float64 `json:"rate"`
	Seconds *float64 `json:"seconds"`
}

// Fits reports whether the disk has room for it; true when that is not known.
func (e Estimate) Fits() bool { return e.FreeBytes == nil || *e.FreeBytes > e.Bytes }

// EstimateRebuild returns what Rebuild with these options would create, and need. dataDir is the data directory of the
// database when that is on this machine, else empty.
func EstimateRebuild(ctx context.Context, pool *pgxpool.Pool, lines projections.Lines, options RebuildOptions, dataDir string) (Estimate, error) {
	var e Estimate
	line, err := lines.Of(options.Name)
	if err != nil {
		return e, fmt.Errorf("estimate a rebuild: %w", err)
	}
	es, err := register.Read(ctx, pool)
	if err != nil {
		return e, err
	}
	versions, err := planRebuild(line.Definitions(), es, options)
	if err != nil {
		return e, fmt.Errorf("estimate a rebuild of projection %s: %w", options.Name, err)
	}
	statuses, err := StatusesWithoutSizes(ctx, pool)
	if err != nil {
		return e, err
	}
	slowest, known := 0.0, true
	for _, v := range versions {
		p := EstimatePart{Schema: v.Schema}
		build := Status{Throttle: v.Throttle}
		for _, s := range statuses {
			if s.Name != v.Name {
				continue
			}
			if s.Active {
				if p.Rows, p.Bytes, err = measure(ctx, pool, s.Schema()); err != nil {
					return e, err
				}
				p.Items = s.Head
			}
			if s.Rate != nil && (s.Active || build.Rate == nil) {
				build.Rate = s.Rate
			}
		}
		p.Rate = build.Rate
		if rate := build.expectedRate(); rate > 0 {
			seconds := float64(p.Items) / rate
			p.Seconds, slowest = &seconds, max(slowest, seconds)
		} else {
			known = false
		}
		e.Rows, e.Bytes = e.Rows+p.Rows, e.Bytes+p.Bytes
		e.Parts = append(e.Parts, p)
	}
	if known {
		e.Seconds = &slowest
	}
	if dataDir != "" {
		e.FreeBytes = freeBytes(dataDir)
	}
	return e, nil
}
