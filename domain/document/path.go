package document

import (
	"errors"
	"strings"
)

// schemeOf is the scheme of a URI in lower case (RFC 3986 section 3.1), empty when it has none.
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

// afterScheme is the URI without scheme, slashes after it, query and fragment.
func afterScheme(uri string) string {
	rest := uri[len(schemeOf(uri)):]
	rest = rest[:strings.IndexAny(rest+"?", "?#")]
	return strings.TrimLeft(strings.TrimPrefix(rest, ":"), "/")
}

// queryOf is the query of a URI with its question mark, empty when there is none.
func queryOf(uri string) string {
	uri, _, _ = strings.Cut(uri, "#")
	_, query, ok := strings.Cut(uri, "?")
	if !ok {
		return ""
	}
	return "?" + percentEncode(query)
}

// isBareCID says if it is a content identifier, maybe with a path and a query.
func isBareCID(uri string) bool {
	return isCID(uri[:strings.IndexAny(uri+"/", "/?#")])
}

// ipfsPath is the path on a gateway of a URI of the scheme ipfs or ipns, without a slash before it. Both are also
// written with the name of the scheme once more, as in ipfs://ipfs/<cid>.
func ipfsPath(uri string) (string, error) {
	path := afterScheme(uri)
	if !strings.HasPrefix(path, "ipfs/") && !strings.HasPrefix(path, "ipns/") {
		path = schemeOf(uri) + "/" + path
	}
	return cleanIPFSPath(path)
}

// cleanIPFSPath checks and cleans /ipfs/<cid>/… or /ipns/<name>/….
func cleanIPFSPath(path string) (string, error) {
	space, path, _ := strings.Cut(strings.TrimLeft(path, "/"), "/")
	path, err := cleanPath(path)
	return space + "/" + path, err
}

// cleanPath makes a path that is safe to put below a gateway: dots lead nowhere above its first segment, which is the
// name of something and must be there. Otherwise the path stays as it is, encoded where it must be.
func cleanPath(path string) (string, error) {
	// No name in such a path can have a slash in it, so an encoded one, which servers read either way, is one as well.
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
		if i == len(segments)-2 { // what ends with dots is a folder
			clean = append(clean, "")
		}
	}
	return percentEncode(strings.Join(clean, "/")), nil
}

var encodedSlash = strings.NewReplacer("%2f", "/", "%2F", "/")

// dots is 1 for ".", 2 for "..", also percent-encoded (RFC 3986 section 3.3), and 0 for anything else.
func dots(segment string) int {
	switch string(percentDecode(segment)) {
	case ".":
		return 1
	case "..":
		return 2
	}
	return 0
}

// textMax is how much of a URI an error shows: data URIs can be long.
const textMax = 120

func shorten(text string) string {
	if len(text) <= textMax {
		return text
	}
	return text[:textMax] + "…"
}
