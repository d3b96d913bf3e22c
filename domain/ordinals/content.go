package ordinals

import (
	"bytes"
	"strings"
)

// ContentType removes the NULs that some envelopes have in their content type.
func ContentType(text string) string { return strings.ReplaceAll(text, "\x00", "") }

// MimeType returns the part of a content type before its parameters. It neither trims nor lower-cases it.
func MimeType(contentType string) string {
	mime, _, _ := strings.Cut(ContentType(contentType), ";")
	return mime
}

// RecursionRefs returns the inscriptions to which a content refers by "/content/" and an id, each once, in the order of
// their first appearance; nil for none. The inscriptions need not exist. An index beyond 32 bits cannot name an
// inscription, so it is not a reference.
//
// Ids are ASCII, so RecursionRefs also searches content that is not UTF-8.
func RecursionRefs(content []byte) []InscriptionID {
	path := []byte("/content/")
	var refs []InscriptionID
	seen := map[InscriptionID]bool{}
	for {
		_, rest, found := bytes.Cut(content, path)
		if !found {
			return refs
		}
		content = rest
		if length := inscriptionIDLength(content); length > 0 {
			if ref := InscriptionID(content[:length]); !seen[ref] {
				seen[ref] = true
				refs = append(refs, ref)
			}
			content = content[length:]
		}
	}
}
