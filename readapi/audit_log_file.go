package readapi

import (
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/answer"
)

// noteType is the content type of checkpoints and keys.
const noteType = "text/plain; charset=utf-8"

// serveLogFiles adds what https://c2sp.org/tlog-tiles asks for, earlier checkpoints and the key.
func (a *API) serveLogFiles(log TransparencyLog) {
	a.serveLogFile(log, logFile{
		resource: resource{
			id: "get-log-checkpoint", path: logPath + "/checkpoint", tag: "Audit", summary: "The newest checkpoint of the log",
			about: "A signed note (c2sp.org/tlog-checkpoint): the log's origin, how many events it has, and the root of the Merkle tree over them, with the signature of the log's key and the cosignatures that witnesses have given to it. " +
				"With the tiles it is all that clients of c2sp.org/tlog-tiles need, for which the URL of the log is this one without /checkpoint.",
			contentType: noteType, class: answer.Tip, statuses: []int{http.StatusNotFound},
		},
		pattern: logPath + "/checkpoint",
		content: func(r *http.Request) ([]byte, error) { return log.Checkpoint(r.Context(), 0) },
	})
	a.serveLogFile(log, logFile{
		resource: resource{
			id: "get-log-checkpoint-of-size", path: logPath + "/checkpoints/{size}", tag: "Audit", summary: "An earlier checkpoint of the log",
			about: "The checkpoint that was signed when the log had so many events. All that were ever signed are kept.", contentType: noteType, class: answer.Tip,
			statuses: []int{http.StatusNotFound},
		},
		pattern: logPath + "/checkpoints/{size}",
		parameters: []*huma.Param{{
			Name: "size", In: "path", Required: true, Description: "How many events it has.", Schema: &huma.Schema{Type: huma.TypeInteger, Format: "int64"},
		}},
		content: func(r *http.Request) ([]byte, error) {
			size, err := strconv.ParseInt(r.PathValue("size"), 10, 64)
			if err != nil || size < 1 {
				return nil, notFound("no checkpoint of %s events was signed", r.PathValue("size"))
			}
			return log.Checkpoint(r.Context(), size)
		},
	})
	a.serveLogFile(log, logFile{
		resource: resource{
			id: "get-log-key", path: logPath + "/key", tag: "Audit", summary: "The key that checkpoints are checked with",
			about: "A verifier key as signed notes have it: <origin>+<hash>+<key>. Ask the operator for it in another way, too: who could forge checkpoints could forge this.", contentType: noteType, class: answer.Tip,
			statuses: []int{http.StatusNotFound},
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
		Schema:      &huma.Schema{Type: huma.TypeString, Extensions: matching(`^(x[0-9]{3}/)*[0-9]{3}(\.p/[1-9][0-9]{0,2})?$`), Examples: []any{"x001/234"}},
	}
	level := &huma.Param{
		Name: "level", In: "path", Required: true, Description: "0 for hashes of leaves; a hash of any other level stands for 256 of the level below.",
		Schema: &huma.Schema{Type: huma.TypeInteger, Examples: []any{0}},
	}
	tile := resource{
		id: "get-log-tile", path: logPath + "/tile/{level}/{n}", tag: "Audit", summary: "A tile of the log's Merkle tree",
		about: "256 hashes of 32 bytes, or the first W of them. Of level 0, the tile n has the leaves n·256 to n·256+255, which are the events with seq n·256+1 to n·256+256. " +
			"Only what is within the newest checkpoint is there.",
		contentType: "application/octet-stream", class: answer.Immutable, statuses: []int{http.StatusNotFound},
	}
	a.serveLogFile(log, logFile{
		resource: tile, pattern: logPath + "/tile/{path...}", parameters: []*huma.Param{level, number},
		content: func(r *http.Request) ([]byte, error) {
			t, ok := parseLogTile(r.PathValue("path"))
			switch {
			case !ok:
				return nil, notFound("no tile has the name %s", r.PathValue("path"))
			case t.entries:
				return log.Entries(r.Context(), t.n, t.width)
			}
			return log.Tile(r.Context(), t.level, t.n, t.width)
		},
	})
	// The mux would redirect this to where a slash is at the end, and from there we to here.
	a.plain("GET "+logPath+"/tile", tile.id, routeNotFound)
	entries := tile
	entries.id, entries.path, entries.summary = "get-log-entries", logPath+"/tile/entries/{n}", "A bundle of the log's entries"
	entries.about = "The leaf records of a tile of level 0, each after its length in two bytes, big-endian. A record states everything about an event, with the body represented by its size and SHA-256 (docs/log-format.md)."
	a.describeLogFile(logFile{resource: entries, parameters: []*huma.Param{number}})
}
