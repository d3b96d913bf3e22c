package document

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// IsData reports whether the URI contains the document itself (RFC 2397).
func IsData(uri string) bool { return schemeOf(strings.TrimSpace(uri)) == "data" }

// defaultMediaType is the media type of a data URI that names none (RFC 2397).
const defaultMediaType = "text/plain"

// ParseData returns the content of a data URI: the media type in lower case without parameters, and the bytes.
// Parameters may have no value, as in ";utf8". Base 64 may use either alphabet (RFC 4648), with or without padding, and
// may be percent-encoded. Any other data is percent-decoded, unless it is already JSON: then a "%" is literal.
// ParseData returns an error if there is no comma before the data, or if data that is declared as base 64 is not.
func ParseData(uri string) (mediaType string, body []byte, err error) {
	uri = strings.TrimSpace(uri)
	if !IsData(uri) {
		return "", nil, fmt.Errorf("data URI %q: its scheme is not data", shorten(uri))
	}
	head, data, ok := strings.Cut(uri[len("data:"):], ",")
	if !ok {
		return "", nil, fmt.Errorf("data URI %q: there is no comma before the data", shorten(uri))
	}
	parameters := strings.Split(head, ";")
	mediaType = defaultMediaType
	if strings.Contains(parameters[0], "/") {
		mediaType = strings.ToLower(strings.TrimSpace(parameters[0]))
	}
	for _, parameter := range parameters {
		if strings.EqualFold(strings.TrimSpace(parameter), "base64") {
			body, err = decodeBase64(data)
			if err != nil {
				return "", nil, fmt.Errorf("data URI %q: %w", shorten(uri), err)
			}
			return mediaType, body, nil
		}
	}
	if body = []byte(data); !json.Valid(body) {
		body = percentDecode(data)
	}
	return mediaType, body, nil
}

func decodeBase64(data string) ([]byte, error) {
	standard := strings.NewReplacer("-", "+", "_", "/", " ", "", "\t", "", "\n", "", "\r", "", "\f", "")
	text := strings.TrimRight(standard.Replace(string(percentDecode(data))), "=")
	body, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return nil, errors.New("the data is not in base 64")
	}
	return body, nil
}

// isSVG reports whether a text is an SVG. No URI begins with its first character.
func isSVG(text string) bool {
	return strings.HasPrefix(strings.TrimLeft(text, "\ufeff \t\r\n"), "<") && strings.Contains(text, "<svg")
}

var (
	dataReserved = strings.NewReplacer("%", "%25", "#", "%23")
	// encodedPlaceholder matches what percentEncode makes of a placeholder in braces.
	encodedPlaceholder = regexp.MustCompile(`(?i)%7B(id|locale)%7D`)
)

// svgURI returns a data URI of an SVG. Its placeholders stay, so that a document for many tokens can have one.
func svgURI(svg string) string {
	return "data:image/svg+xml," + encodedPlaceholder.ReplaceAllString(percentEncode(dataReserved.Replace(svg)), "{$1}")
}
