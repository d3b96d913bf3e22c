package contract

import (
	"crypto/sha256"
	"strings"
)

// FunctionKey identifies a function, or all functions of one name, in searches for contracts by their functions. It is
// a kind followed by a hash, so different functions have different keys.
type FunctionKey [16]byte

// The kinds of keys, in their first byte.
const (
	nameKey     = 0
	functionKey = 1
)

// Keys returns the key of the function's name, and the key of the whole function. The latter covers name, access,
// output type and the types of the arguments in order. The names of the arguments make no difference.
func (f Function) Keys() (named, whole FunctionKey) {
	var b strings.Builder
	b.WriteString(f.Name)
	named = newFunctionKey(nameKey, f.Name)
	for _, part := range []string{f.Access, f.Outputs.Type.String()} {
		b.WriteByte(0)
		b.WriteString(part)
	}
	for i := range f.Args {
		b.WriteByte(0)
		b.WriteString(f.Args[i].Type.String())
	}
	return named, newFunctionKey(functionKey, b.String())
}

func newFunctionKey(kind byte, text string) (key FunctionKey) {
	digest := sha256.Sum256([]byte(text))
	copy(key[1:], digest[:])
	key[0] = kind
	return key
}
