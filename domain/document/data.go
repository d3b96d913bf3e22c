package document

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// IsData says if the URI holds the document itself (RFC 2397).
func IsData(uri string) bool { return schemeOf(strings.TrimSpace(uri)) == "data" }

// defaultMediaType is that of data that does not name any (RFC 2397).
const defaultMediaType = "text/plain"

// ParseData gives what a data URI holds: the media type in lower case without parameters, and the bytes. Parameters may
// be bare, as in ";utf8". Base 64 may be of either alphabet (RFC 4648), with or without padding, and percent-encoded.
// Anything else is percent-decoded unless it is JSON as it stands, because then a "%" in it is meant. It is an error
// when there is no comma before the data, or base 64 is announced and does not follow.
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
