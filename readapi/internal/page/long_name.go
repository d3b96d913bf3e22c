package page

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"strata/readapi/internal/engine"
)

// CursorMax is the size of the longest cursor that the API gives, in bytes. A cursor is a part of a URL, for which many
// clients and proxies have little room, while the id of a token may have a megabyte.
const CursorMax = 200

// digestEnd is the size of what takes the place of the rest of a long name: a tilde, and a SHA-256 in hex.
const digestEnd = 1 + 2*sha256.Size

// NameSize is the size up to which names of accounts and assets stand in cursors as they are, beside a balance or a position.
const NameSize = 115

// ShortName returns a name as it stands in a cursor: one of more than size bytes in its short form, which takes size bytes. No
// principal or asset identifier has a tilde.
func ShortName(name string, size int) string {
	if len(name) <= size {
		return name
	}
	return ShortForm(strings.ToValidUTF8(name[:size-digestEnd], ""), sha256.Sum256([]byte(name)))
}

// ShortForm returns the short form of something long: its beginning, a tilde and its SHA-256 in hex.
func ShortForm(beginning string, digest [sha256.Size]byte) string {
	return beginning + "~" + hex.EncodeToString(digest[:])
}

// CutShortName returns the parts of a short form; ok is false for any other text.
func CutShortName(text string) (beginning string, digest []byte, ok bool) {
	at := len(text) - digestEnd
	if at < 0 || text[at] != '~' {
		return "", nil, false
	}
	digest, err := hex.DecodeString(text[at+1:])
	return text[:at], digest, err == nil
}

// FullName returns the name that a cursor has in its short form; any other text as it is. column is the SQL expression for a
// name, and from a FROM clause with a condition, whose arguments are args; an index should find names by their beginning.
// A name that is there no more is replaced by its beginning, which sorts before it: pages repeat rows then, and skip none.
func FullName(ctx context.Context, s *engine.Snapshot, text, column, from string, args ...any) (string, error) {
	beginning, digest, ok := CutShortName(text)
	if !ok {
		return text, nil
	}
	n := len(args)
	b := s.Batch()
	found := engine.Query(b, func(name *string) []any { return []any{name} }, strings.NewReplacer(
		"{name}", column, "{from}", from, "{beginning}", "$"+strconv.Itoa(n+1), "{digest}", "$"+strconv.Itoa(n+2),
	).Replace(`SELECT {}, coalesce((
			SELECT {name} FROM {from} AND {name} >= {beginning}::text AND {name} <= {beginning}::text || chr(1114111) AND sha256(convert_to({name}, 'UTF8')) = {digest}::bytea
			ORDER BY {name} LIMIT 1
		), {beginning}::text)`), append(args[:n:n], beginning, digest)...)
	if err := b.Run(ctx); err != nil {
		return "", err
	}
	name, _ := found.First()
	return name, nil
}
