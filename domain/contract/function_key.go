package contract

import (
	"crypto/sha256"
	"strings"
)

// FunctionKey stands for a function, or for all functions of a name, where contracts are found by what they offer. Two have
// the same only if they are the same.
type FunctionKey [16]byte

// What a key is of, in its first byte.
const (
	keyOfName     = 0
	keyOfFunction = 1
)

// Keys are the key of the function's name, and that of the whole function: its name, access, result and the types of its
// arguments in their order. What the arguments are called makes no difference.
func (f Function) Keys() (named, whole FunctionKey) {
	var b strings.Builder
	b.WriteString(f.Name)
	named = newFunctionKey(keyOfName, f.Name)
	for _, part := range []string{f.Access, f.Outputs.Type.String()} {
		b.WriteByte(0)
		b.WriteString(part)
	}
	for i := range f.Args {
		b.WriteByte(0)
		b.WriteString(f.Args[i].Type.String())
	}
	return named, newFunctionKey(keyOfFunction, b.String())
}

func newFunctionKey(kind byte, text string) (key FunctionKey) {
	digest := sha256.Sum256([]byte(text))
	copy(key[1:], digest[:])
	key[0] = kind
	return key
}
