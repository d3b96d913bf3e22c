package readapi

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/hash"
)

// Headers that say where an answer comes from.
const (
	positionHeader = "Strata-Position"
	sourceHeader   = "Strata-Source"
)

// maxSources is how many events Strata-Source names at most.
const maxSources = 32

var provenanceHeaders = map[string]*huma.Param{
	positionHeader: {
		Description: "What the answer reflects: the position in the log of the least advanced projection that was read, and its tip.",
		Schema:      &huma.Schema{Type: huma.TypeString, Examples: []any{"log=4711; height=1350; index_block_hash=0x00…"}},
	},
	sourceHeader: {
		Description: "The events of the log that made the rows of the answer, see /audit/v1/events/{seq}. At most 32 are named.",
		Schema:      &huma.Schema{Type: huma.TypeString, Examples: []any{"17,4711"}},
	},
}

// provenance is what a snapshot was asked to read: positions of projections, and events behind the rows.
type provenance struct {
	read    bool
	logSeq  int64
	height  *int64
	tip     *hash.Hash32
	sources []int64
}

// readProjection notes a projection. The least advanced one counts.
func (p *provenance) readProjection(q *projection) {
	if p.read && p.logSeq <= q.logSeq {
		return
	}
	p.read, p.logSeq, p.height, p.tip = true, q.logSeq, q.height, q.indexBlockHash
}

// readLog notes that rows of the log itself were read, which had size events.
func (p *provenance) readLog(size int64) {
	if !p.read {
		p.read, p.logSeq = true, size
	}
}

func (p *provenance) setHeaders(header http.Header) {
	if !p.read {
		return
	}
	position := "log=" + strconv.FormatInt(p.logSeq, 10)
	if p.height != nil && p.tip != nil {
		position += fmt.Sprintf("; height=%d; index_block_hash=%s", *p.height, p.tip)
	}
	header[positionHeader] = []string{position}
	if sources := p.sourceList(); sources != "" {
		header[sourceHeader] = []string{sources}
	}
}

func (p *provenance) sourceList() string {
	sources := slices.Clone(p.sources)
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
