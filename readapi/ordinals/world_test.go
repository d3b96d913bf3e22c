package ordinals_test

import (
	"encoding/hex"
)

// hexOf is content as the feed has it.
func hexOf(content string) string { return "0x" + hex.EncodeToString([]byte(content)) }
