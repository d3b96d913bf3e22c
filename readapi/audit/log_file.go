package audit

import (
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/answer"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/schema"
)

// noteType is the content type of checkpoints and keys.
const noteType = "text/plain; charset=utf-8"

// serveLogFiles adds what https://c2sp.org/tlog-tiles asks for, earlier checkpoints and the key.
func (a *api) serveLogFiles(log TransparencyLog) {
	a.serveLogFile(log, logFile{
		Operation: engine.Operation{
			ID: "get-log-checkpoint", Path: logPath + "/checkpoint", Tag: "Audit", Summary: "The newest checkpoint of the log",
			Description: "A signed note (c2sp.org/tlog-checkpoint): the log's origin, how many events it has, and the root of the Merkle tree over them, with the signature of the log's key and the cosignatures that witnesses have given to it. " +
				"With the tiles it is all that clients of c2sp.org/tlog-tiles need, for which the URL of the log is this one without /checkpoint.",
			ContentType: noteType, Class: answer.Tip, Statuses: []int{http.StatusNotFound},
		},
		pattern: logPath + "/checkpoint",
		content: func(r *http.Request) ([]byte, error) { return log.Checkpoint(r.Context(), 0) },
	})
	a.serveLogFile(log, logFile{
		Operation: engine.Operation{
			ID: "get-log-checkpoint-of-size", Path: logPath + "/checkpoints/{size}", Tag: "Audit", Summary: "An earlier checkpoint of the log",
			Description: "The checkpoint that was signed when the log had so many events. All that were ever signed are kept.", ContentType: noteType, Class: answer.Tip,
			Statuses: []int{http.StatusNotFound},
		},
		pattern: logPath + "/checkpoints/{size}",
		parameters: []*huma.Param{{
			Name: "size", In: "path", Required: true, Description: "How many events it has.", Schema: &huma.Schema{Type: huma.TypeInteger, Format: "int64"},
		}},
		content: func(r *http.Request) ([]byte, error) {
			size, err := strconv.ParseInt(r.PathValue("size"), 10, 64)
			if err != nil || size < 1 {
				return nil, engine.NotFound("no checkpoint of %s events was signed", r.PathValue("size"))
			}
			return log.Checkpoint(r.Context(), size)
		},
	})
	a.serveLogFile(log, logFile{
		Operation: engine.Operation{
			ID: "get-log-key", Path: logPath + "/key", Tag: "Audit", Summary: "The key that checkpoints are checked with",
			Description: "A verifier key as signed notes have it: <origin>+<hash>+<key>. Ask the operator for it in another way, too: who could forge checkpoints could forge this.", ContentType: noteType, Class: answer.Tip,
			Statuses: []int{http.StatusNotFound},
		},
		pattern: logPath + "/key",
		content: func(r *http.Request) ([]byte, error) {
			key, err := log.VerifierKey(r.Context())
			return []byte(key + "\n"), err
		},
	})
	number := &huma.Param{
		Name: "n", In: "path", Required: true,
		Description: "Number of the tile, from 0, in groups of three digits, all but the last with x in front, such as x001/x234/067; for its first W entries alone with .p/W behind it.",
		Schema:      &huma.Schema{Type: huma.TypeString, Extensions: schema.Matching(`^(x[0-9]{3}/)*[0-9]{3}(\.p/[1-9][0-9]{0,2})?$`), Examples: []any{"x001/234"}},
	}
	level := &huma.Param{
		Name: "level", In: "path", Required: true, Description: "0 for hashes of leaves; a hash of any other level stands for 256 of the level below.",
		Schema: &huma.Schema{Type: huma.TypeInteger, Examples: []any{0}},
	}
	tile := engine.Operation{
		ID: "get-log-tile", Path: logPath + "/tile/{level}/{n}", Tag: "Audit", Summary: "A tile of the log's Merkle tree",
		Description: "256 hashes of 32 bytes, or the first W of them. Of level 0, the tile n has the leaves n·256 to n·256+255, which are the events with seq n·256+1 to n·256+256. " +
			"Only what is within the newest checkpoint is there.",
		ContentType: "application/octet-stream", Class: answer.Immutable, Statuses: []int{http.StatusNotFound},
	}
	a.serveLogFile(log, logFile{
		Operation: tile, pattern: logPath + "/tile/{path...}", parameters: []*huma.Param{level, number},
		content: func(r *http.Request) ([]byte, error) {
			t, ok := parseLogTile(r.PathValue("path"))
			switch {
			case !ok:
				return nil, engine.NotFound("no tile has the name %s", r.PathValue("path"))
			case t.entries:
				return log.Entries(r.Context(), t.n, t.width)
			}
			return log.Tile(r.Context(), t.level, t.n, t.width)
		},
	})
	// The mux would redirect this to where a slash is at the end, and from there we to here.
	a.Plain("GET "+logPath+"/tile", tile.ID, engine.RouteNotFound)
	entries := tile
	entries.ID, entries.Path, entries.Summary = "get-log-entries", logPath+"/tile/entries/{n}", "A bundle of the log's entries"
	entries.Description = "The leaf records of a tile of level 0, each after its length in two bytes, big-endian. A record states everything about an event, with the body represented by its size and SHA-256 (docs/log-format.md)."
	a.describeLogFile(logFile{Operation: entries, parameters: []*huma.Param{number}})
}
