package audit

import (
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/schema"
)

// noteType is the content type of checkpoints and keys.
const noteType = "text/plain; charset=utf-8"

// serveLogFiles registers the files that https://c2sp.org/tlog-tiles requires, the earlier checkpoints, and the key.
func (a *api) serveLogFiles(log TransparencyLog) {
	a.serveLogFile(log, logFile{
		Operation: engine.Operation{
			ID: "get-log-checkpoint", Path: logPath + "/checkpoint", Tag: "Audit", Summary: "Get the newest checkpoint of the log",
			Description: "A signed note (c2sp.org/tlog-checkpoint): the log's origin, its number of events, and the root of the Merkle tree over them, with the signature of the log's key and the cosignatures of witnesses. " +
				"Clients of c2sp.org/tlog-tiles need the checkpoint and the tiles; their URL of the log is this one without /checkpoint.",
			ContentType: noteType, Statuses: []int{http.StatusNotFound},
		},
		pattern: logPath + "/checkpoint",
		content: func(r *http.Request) ([]byte, error) { return log.Checkpoint(r.Context(), 0) },
	})
	a.serveLogFile(log, logFile{
		Operation: engine.Operation{
			ID: "get-log-checkpoint-of-size", Path: logPath + "/checkpoints/{size}", Tag: "Audit", Summary: "Get an earlier checkpoint of the log",
			Description: "The checkpoint that was signed when the log had this number of events. All signed checkpoints are kept.", ContentType: noteType,
			Statuses: []int{http.StatusNotFound},
		},
		pattern: logPath + "/checkpoints/{size}",
		parameters: []*huma.Param{{
			Name: "size", In: "path", Required: true, Description: "Number of events of the checkpoint.", Schema: &huma.Schema{Type: huma.TypeInteger, Format: "int64"},
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
			ID: "get-log-key", Path: logPath + "/key", Tag: "Audit", Summary: "Get the key that verifies checkpoints",
			Description: "A verifier key in the format of signed notes: <origin>+<hash>+<key>. Get it from the operator in another way, too: whoever can forge checkpoints can forge this answer.", ContentType: noteType,
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
		Description: "Number of the tile, from 0, in groups of three digits, each but the last with an x in front, such as x001/x234/067. The suffix .p/W selects its first W entries.",
		Schema:      &huma.Schema{Type: huma.TypeString, Extensions: schema.Matching(`^(x[0-9]{3}/)*[0-9]{3}(\.p/[1-9][0-9]{0,2})?$`), Examples: []any{"x001/234"}},
	}
	level := &huma.Param{
		Name: "level", In: "path", Required: true, Description: "0 for the hashes of leaves; a hash of any other level covers 256 hashes of the level below.",
		Schema: &huma.Schema{Type: huma.TypeInteger, Examples: []any{0}},
	}
	tile := engine.Operation{
		ID: "get-log-tile", Path: logPath + "/tile/{level}/{n}", Tag: "Audit", Summary: "Get a tile of the log's Merkle tree",
		Description: "256 hashes of 32 bytes, or the first W of them. On level 0, tile n has the leaves n·256 to n·256+255, which are the events with seq n·256+1 to n·256+256. " +
			"Only hashes of events within the newest checkpoint are served.",
		ContentType: "application/octet-stream", Dependencies: engine.Dependencies{Unchanging: true}, Statuses: []int{http.StatusNotFound},
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
	// Without this route the mux would redirect to the path with a slash at its end, and this server from there to
	// here.
	a.Plain("GET "+logPath+"/tile", tile.ID, engine.RouteNotFound)
	entries := tile
	entries.ID, entries.Path, entries.Summary = "get-log-entries", logPath+"/tile/entries/{n}", "Get a bundle of the log's entries"
	entries.Description = "The leaf records of a tile of level 0, each after its length in two bytes, big-endian. A record has all fields of an event, with its body replaced by its size and SHA-256 (docs/log-format.md)."
	a.describeLogFile(logFile{Operation: entries, parameters: []*huma.Param{number}})
}
