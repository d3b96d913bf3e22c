package engine

import (
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/answer"
)

// Headers that report where an answer comes from.
const (
	PositionHeader = "Strata-Position"
	sourceHeader   = "Strata-Source"
	// HistoryHeader is on each answer of a log that begins above genesis: from=<height>.
	HistoryHeader = "Strata-History"
)

// maxSources is the maximum number of events that Strata-Source names.
const maxSources = 32

// answerHeaders describes the headers of answers of a class.
func answerHeaders(class answer.Class) map[string]*huma.Param {
	headers := map[string]*huma.Param{
		"Cache-Control": {
			Description: "How long the answer may be cached.",
			Schema:      &huma.Schema{Type: huma.TypeString, Examples: []any{class.CacheControl()}},
		},
	}
	if class == answer.NoStore {
		return headers
	}
	headers["ETag"] = &huma.Param{
		Description: "A strong entity tag for If-None-Match. It changes when the answer changes.",
		Schema:      &huma.Schema{Type: huma.TypeString, Examples: []any{`"3f0c…"`}},
	}
	headers[PositionHeader] = &huma.Param{
		Description: "What the answer reflects: the position in the log of the least advanced projection that was read, and its tip.",
		Schema:      &huma.Schema{Type: huma.TypeString, Examples: []any{"log=4711; height=1350; index_block_hash=0x00…"}},
	}
	headers[sourceHeader] = &huma.Param{
		Description: "The events of the log behind the rows of the answer, see /audit/v1/events/{seq}. At most 32 are named.",
		Schema:      &huma.Schema{Type: huma.TypeString, Examples: []any{"17,4711"}},
	}
	return headers
}

// provenance collects the events behind the rows that were read from a snapshot.
type provenance struct {
	Sources []int64
}

// fields appends the header field that names the events.
func (p *provenance) fields(fields []answer.Field) []answer.Field {
	if list := p.sourceList(); list != "" {
		fields = append(fields, answer.Field{Name: sourceHeader, Values: []string{list}})
	}
	return fields
}

// sourceList returns the events' numbers, sorted and without duplicates, as Strata-Source lists them.
func (p *provenance) sourceList() string {
	sources := slices.Clone(p.Sources)
	slices.Sort(sources)
	sources = slices.Compact(sources)
	var b strings.Builder
	for i, seq := range sources {
		if i > 0 {
			b.WriteByte(',')
		}
		if i == maxSources {
			b.WriteString("...")
			break
		}
		b.WriteString(strconv.FormatInt(seq, 10))
	}
	return b.String()
}
