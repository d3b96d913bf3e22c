package document

import (
	"errors"
	"strings"
)

// schemeOf returns the scheme of a URI in lower case (RFC 3986 section 3.1); empty for none.
func schemeOf(uri string) string {
	scheme, _, ok := strings.Cut(uri, ":")
	if !ok || scheme == "" {
		return ""
	}
	scheme = strings.ToLower(scheme)
	for i, c := range []byte(scheme) {
		letter := 'a' <= c && c <= 'z'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789+-.", rune(c))) {
			return ""
		}
	}
	return scheme
}

// afterScheme returns the URI without its scheme, the slashes after the scheme, the query and the fragment.
func afterScheme(uri string) string {
	rest := uri[len(schemeOf(uri)):]
	rest = rest[:strings.IndexAny(rest+"?", "?#")]
	return strings.TrimLeft(strings.TrimPrefix(rest, ":"), "/")
}

// queryOf returns the query of a URI with its question mark; empty for none.
func queryOf(uri string) string {
	uri, _, _ = strings.Cut(uri, "#")
	_, query, ok := strings.Cut(uri, "?")
	if !ok {
		return ""
	}
	return "?" + percentEncode(query)
}

// isBareCID reports whether the URI is a content identifier, which a path and a query may follow.
func isBareCID(uri string) bool {
	return isCID(uri[:strings.IndexAny(uri+"/", "/?#")])
}

// ipfsPath returns the path at a gateway, without a slash before it, for a URI of the scheme ipfs or ipns. Some URIs
// repeat the name of the scheme, as in ipfs://ipfs/<cid>.
func ipfsPath(uri string) (string, error) {
	path := afterScheme(uri)
	if !strings.HasPrefix(path, "ipfs/") && !strings.HasPrefix(path, "ipns/") {
		path = schemeOf(uri) + "/" + path
	}
	return cleanIPFSPath(path)
}

// cleanIPFSPath validates and cleans /ipfs/<cid>/… or /ipns/<name>/….
func cleanIPFSPath(path string) (string, error) {
	space, path, _ := strings.Cut(strings.TrimLeft(path, "/"), "/")
	path, err := cleanPath(path)
	return space + "/" + path, err
}

// cleanPath returns a path that is safe to append to the URL of a gateway: dot segments cannot lead above the first
// segment, which is a name and must not be empty. Otherwise cleanPath only encodes what must be encoded.
func cleanPath(path string) (string, error) {
	// No name in such a path has a slash. Servers read an encoded slash either way, so treat it as a slash.
	path = encodedSlash.Replace(path)
	segments := strings.Split(strings.TrimLeft(path, "/"), "/")
	name := segments[0]
	if name == "" || dots(name) > 0 {
		return "", errors.New("it names nothing")
	}
	clean := []string{name}
	for i, segment := range segments[1:] {
		up := dots(segment)
		if up == 0 {
			clean = append(clean, segment)
			continue
		}
		clean = clean[:max(len(clean)-up+1, 1)]
		if i == len(segments)-2 { // a path that ends with a dot segment is a folder
			clean = append(clean, "")
		}
	}
	return percentEncode(strings.Join(clean, "/")), nil
}

var encodedSlash = strings.NewReplacer("%2f", "/", "%2F", "/")

// dots returns 1 for ".", 2 for "..", even if percent-encoded (RFC 3986 section 3.3), and 0 for anything else.
func dots(segment string) int {
	switch string(percentDecode(segment)) {
	case ".":
		return 1
	case "..":
		return 2
	}
	return 0
}

// textMax is the maximum length of a URI in an error: data URIs can be long.
const textMax = 120

func shorten(text string) string {
	if len(text) <= textMax {
		return text
	}
	return text[:textMax] + "…"
}
