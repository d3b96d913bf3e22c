package vector

import (
	"encoding/hex"
	"strings"
	"testing"
)

// Bytes decodes hex as it stands in rows and in tests: with or without a leading 0x, and with spaces anywhere. It fails
// tb when the text is not hex.
func Bytes(tb testing.TB, text string) []byte {
	tb.Helper()
	b, err := hex.DecodeString(strings.TrimPrefix(strings.ReplaceAll(text, " ", ""), "0x"))
	if err != nil {
		tb.Fatalf("hex %.200q: %v", text, err)
	}
	return b
}
