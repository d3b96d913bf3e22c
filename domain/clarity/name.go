package clarity

import (
	"fmt"
	"strings"
)

const (
	// MaxNameLength limits every name on the wire, and contract names inside principal values.
	MaxNameLength = 128

	// MaxContractNameLength is what a node allows for contracts in transactions; longer names occur in values only.
	MaxContractNameLength = 40
)

// IsName reports whether s is a legal Clarity name, as of a function, variable, asset or tuple key: 1 to 128 characters
// that match ^[a-zA-Z]([a-zA-Z0-9]|[-_!?+<>=/*])*$|^[-+=/*]$|^[<>]=?$.
func IsName(s string) bool {
	switch s {
	case "-", "+", "=", "/", "*", "<", ">", "<=", ">=":
		return true
	}
	return isName(s, "-_!?+<>=/*")
}

// IsContractName reports whether s is a legal contract name inside a value: 1 to 128 characters that match
// ^[a-zA-Z]([a-zA-Z0-9]|[-_])*$|^__transient$. A contract that can be deployed has MaxContractNameLength at most.
func IsContractName(s string) bool {
	return s == "__transient" || isName(s, "-_")
}

func isName(s, marks string) bool {
	if s == "" || len(s) > MaxNameLength || !isLetter(s[0]) {
		return false
	}
	for i := 1; i < len(s); i++ {
		if c := s[i]; !isLetter(c) && (c < '0' || c > '9') && strings.IndexByte(marks, c) < 0 {
			return false
		}
	}
	return true
}

func isLetter(c byte) bool {
	c |= 0x20
	return 'a' <= c && c <= 'z'
}

// ReadName reads a name from the start of b, a length byte and that many bytes, and returns it with the number of bytes
// it takes. As Decode does, it checks the length (0 to 128) and UTF-8, not the grammar.
func ReadName(b []byte) (string, int, error) {
	end, err := endOfName(b, 0)
	if err != nil {
		return "", 0, fmt.Errorf("read name: %w", err)
	}
	return string(b[1:end]), end, nil
}

func appendName(dst []byte, name string) []byte {
	return append(append(dst, byte(len(name))), name...)
}
