package observer

import (
	"net/url"
	"path"
	"strings"
)

// known are the paths that a node, or the ordinals feed, posts to. Metrics name them; anything else is "other", so
// that whoever posts can't make time series.
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

// isOrdhookPath reports whether a path is one of the ordinals feed's, in any spelling that a reader of the log could
// take for it: the token must not depend on a slash.
func isOrdhookPath(p string) bool {
	p = path.Clean("/" + p)
	return p == "/payload" || p == "/ordhook/payload"
}

// storedPath is the path in its escaped form, which is ASCII without control characters whatever was sent, with a
// slash in front.
func storedPath(u *url.URL) string {
	p := u.EscapedPath()
	if !strings.HasPrefix(p, "/") { // the path of "POST *" and of "POST http://host"
		p = "/" + p
	}
	return p
}
