package observer

import (
	"net/url"
	"path"
	"strings"
)

// known has the paths to which a node or the ordinals feed posts. They are values of the label path in metrics. All other
// paths are "other", so that a sender can't create time series.
var known = map[string]bool{
	"/new_block":            true,
	"/new_burn_block":       true,
	"/new_microblocks":      true,
	"/new_mempool_tx":       true,
	"/drop_mempool_tx":      true,
	"/attachments/new":      true,
	"/stackerdb_chunks":     true,
	"/proposal_response":    true,
	"/mined_block":          true,
	"/mined_nakamoto_block": true,
	"/mined_microblock":     true,
	"/payload":              true,
	"/ordhook/payload":      true,
	"/status":               true,
	"/":                     true,
}

const otherPath = "other"

func pathLabel(p string) string {
	if trimmed := strings.TrimRight(p, "/"); trimmed != "" {
		p = trimmed
	}
	if known[p] {
		return p
	}
	return otherPath
}

// isOrdhookPath reports whether a path belongs to the ordinals feed, in any spelling that a reader of the log could take
// for it: an extra slash must not avoid the token.
func isOrdhookPath(p string) bool {
	p = path.Clean("/" + p)
	return p == "/payload" || p == "/ordhook/payload"
}

// storedPath returns the path in its escaped form with a leading slash. The result is ASCII without control characters,
// whatever was sent.
func storedPath(u *url.URL) string {
	p := u.EscapedPath()
	if !strings.HasPrefix(p, "/") { // the path of "POST *" and of "POST http://host"
		p = "/" + p
	}
	return p
}
