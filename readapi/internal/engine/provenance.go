package engine

import (
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/answer"
)

// Headers that say where an answer comes from.
const (
	PositionHeader = "Strata-Position"
	sourceHeader   = "Strata-Source"
)

// maxSources is how many events Strata-Source names at most.
const maxSources = 32

// answerHeaders documents the headers of answers of a class.
func answerHeaders(class answer.Class) map[string]*huma.Param {
	headers := map[string]*huma.Param{
		"Cache-Control": {Description: "How long the answer may be kept.", Schema: &huma.Schema{Type: huma.TypeString, Examples: []any{class.CacheControl()}}},
	}
	if class == answer.NoStore {
		return headers
	}
	headers["ETag"] = &huma.Param{
		Description: "Strong, for If-None-Match: it changes when the answer does.",
		Schema:      &huma.Schema{Type: huma.TypeString, Examples: []any{`"3f0c…"`}},
	}
	headers[PositionHeader] = &huma.Param{
		Description: "What the answer reflects: the position in the log of the least advanced projection that was read, and its tip.",
		Schema:      &huma.Schema{Type: huma.TypeString, Examples: []any{"log=4711; height=1350; index_block_hash=0x00…"}},
	}
	headers[sourceHeader] = &huma.Param{
		Description: "The events of the log that made the rows of the answer, see /audit/v1/events/{seq}. At most 32 are named.",
		Schema:      &huma.Schema{Type: huma.TypeString, Examples: []any{"17,4711"}},
	}
	return headers
}

// provenance is the events behind the rows that a snapshot was asked for.
type provenance struct {
	Sources []int64
}

// fields adds them to the header of an answer.
func (p *provenance) fields(fields []answer.Field) []answer.Field {
	if list := p.sourceList(); list != "" {
		fields = append(fields, answer.Field{Name: sourceHeader, Values: []string{list}})
	}
	return fields
}

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
