package clarity

import "strings"

const (
	// MaxNameLength limits the bytes of every serialized name, and of contract names in principal values.
	MaxNameLength = 128

	// MaxContractNameLength is the limit of a node for contract names in transactions. Longer names occur only in
	// values.
	MaxContractNameLength = 40
)

// IsName reports whether s is a legal Clarity name of a function, variable, asset or tuple key: 1 to 128 characters
// that match ^[a-zA-Z]([a-zA-Z0-9]|[-_!?+<>=/*])*$|^[-+=/*]$|^[<>]=?$.
func IsName(s string) bool {
	switch s {
	case "-", "+", "=", "/", "*", "<", ">", "<=", ">=":
		return true
	}
	return isName(s, "-_!?+<>=/*")
}

// IsContractName reports whether s is a legal contract name in a value: 1 to 128 characters that match
// ^[a-zA-Z]([a-zA-Z0-9]|[-_])*$|^__transient$. The name of a deployed contract has at most MaxContractNameLength.
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

func appendName(dst []byte, name string) []byte {
	return append(append(dst, byte(len(name))), name...)
}
