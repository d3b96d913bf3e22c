package wire

import (
	"strconv"
	"strings"
)

// chunkSeparator stands between the hash of a transaction and the number of a chunk of its operations.
const chunkSeparator = ":genesis-chunk:"

// ChunkID returns the identifier of a chunk.
func ChunkID(id string, chunk int) string { return id + chunkSeparator + strconv.Itoa(chunk) }

// ChunkIDs returns the identifiers of the chunks that the operations of a transaction are in.
func ChunkIDs(id string, chunks int) (ids []string) {
	for i := range chunks {
		ids = append(ids, ChunkID(id, i))
	}
	return ids
}

// ParseChunkID splits the identifier of a chunk; ok is false for any other identifier.
func ParseChunkID(id string) (original string, chunk int, ok bool) {
	at := strings.LastIndex(id, chunkSeparator)
	if at < 0 {
		return "", 0, false
	}
	digits := id[at+len(chunkSeparator):]
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return "", 0, false
	}
	chunk, err := strconv.Atoi(digits)
	return id[:at], chunk, err == nil && chunk < 1<<20
}
