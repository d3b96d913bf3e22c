package projections

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Estimate is what a rebuild will need, as what is there tells.
type Estimate struct {
	Parts []EstimatePart `json:"parts"`
	// Rows and Bytes are the sums of the parts.
	Rows  int64 `json:"rows"`
	Bytes int64 `json:"bytes"`
	// Seconds is how long it takes when the parts are built at the same time: as long as the slowest; nil when the rate of one
	// is not known.
	Seconds *float64 `json:"seconds"`
	// FreeBytes is the room on the disk of the data directory; nil when that is not known.
	FreeBytes *int64 `json:"free_bytes"`
}

// EstimatePart is an instance that would be built.
type EstimatePart struct {
	Instance
	// Rows and Bytes are those of the active instance.
	Rows  int64 `json:"rows"`
	Bytes int64 `json:"bytes"`
	// Items is how many it has to fold.
	Items int64 `json:"items"`
	// Rate is how many items a second were folded when an instance was built the last time; nil when that was not measured.
	Rate    *float64 `json:"rate"`
	Seconds *float64 `json:"seconds"`
}

// Fits says whether there is room for it; true when that is not known.
func (e Estimate) Fits() bool { return e.FreeBytes == nil || *e.FreeBytes > e.Bytes }

// EstimateRebuild says what Rebuild with these options would make, and need. dataDir is the data directory of the database
// when that is on this machine, else empty.
func EstimateRebuild(ctx context.Context, pool *pgxpool.Pool, lines Lines, options RebuildOptions, dataDir string) (Estimate, error) {
	var e Estimate
	line, err := lines.of(options.Name)
	if err != nil {
		return e, fmt.Errorf("estimate a rebuild: %w", err)
	}
	es, err := readRegister(ctx, pool)
	if err != nil {
		return e, err
	}
	all, err := line.rebuild(es, options)
	if err != nil {
		return e, fmt.Errorf("estimate a rebuild of projection %s: %w", options.Name, err)
	}
	statuses, err := readStatuses(ctx, pool)
	if err != nil {
		return e, err
	}
	slowest, known := 0.0, true
	for _, w := range all {
		p := EstimatePart{Instance: w.Instance}
		rate := Status{Throttle: w.throttle}
		for _, s := range statuses {
			if s.Name != w.Name {
				continue
			}
			if s.Active {
				if p.Rows, p.Bytes, err = sizeOf(ctx, pool, s.Instance()); err != nil {
					return e, err
				}
				p.Items = s.Head
			}
			if s.Rate != nil && (s.Active || rate.Rate == nil) {
				rate.Rate = s.Rate
			}
		}
		p.Rate = rate.Rate
		if r := rate.rate(); r > 0 {
			seconds := float64(p.Items) / r
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
