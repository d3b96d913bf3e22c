package cache

import (
	"bytes"
	"errors"
)

// A value in Redis begins with a mark and the key under which it is stored. Whatever moves values between keys (a script,
// a faulty restore, another program with the same prefix) then can't make an answer appear under another key: the value is
// made anew.

// namedMark tells values that name their key from all others.
const namedMark = "key\x01"

// namedLen is the number of bytes before a value.
const namedLen = len(namedMark) + len(Key{})

var (
	// errUnnamed is the error for a value that names no key, so that it is not one of ours.
	errUnnamed = errors.New("the value names no key")
	// errMisnamed is the error for a value that names another key than that under which it was found.
	errMisnamed = errors.New("the value names another key than that under which it is stored")
)

// appendName appends what comes before the value of a key.
func appendName(b []byte, key Key) []byte { return append(append(b, namedMark...), key[:]...) }

// unnamed returns the value that is stored in b under a key.
func unnamed(b []byte, key Key) ([]byte, error) {
	if len(b) < namedLen || string(b[:len(namedMark)]) != namedMark {
		return nil, errUnnamed
	}
	if !bytes.Equal(b[len(namedMark):namedLen], key[:]) {
		return nil, errMisnamed
	}
	return b[namedLen:], nil
}
