package ordinals

import (
	"bytes"
	"strings"
)

// ContentType is a content type without the NULs that some envelopes have in it.
func ContentType(text string) string { return strings.ReplaceAll(text, "\x00", "") }

// MimeType is the part of a content type before its parameters, neither trimmed nor lower-cased.
func MimeType(contentType string) string {
	mime, _, _ := strings.Cut(ContentType(contentType), ";")
	return mime
}

// RecursionRefs are the inscriptions that a content asks for by /content/ and an id, each once, in the order in which
// they first appear. None is nil. Whether there are such inscriptions does not matter; an index beyond 32 bits can't
// name one and is no ref.
//
// The ids are ASCII, so a content that is not UTF-8 needs no repair before it is searched.
func RecursionRefs(content []byte) []InscriptionID {
	path := []byte("/content/")
	var refs []InscriptionID
	seen := map[InscriptionID]bool{}
	for {
		at := bytes.Index(content, path)
		if at < 0 {
			return refs
		}
		content = content[at+len(path):]
		if length := inscriptionIDLength(content); length > 0 {
			if ref := InscriptionID(content[:length]); !seen[ref] {
				seen[ref] = true
				refs = append(refs, ref)
			}
			content = content[length:]
		}
	}
}
