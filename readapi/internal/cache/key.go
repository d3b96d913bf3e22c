package cache

import "encoding/base64"

// Key is a digest of all that an answer depends on, so that it never means two different contents. The zero Key is none.
type Key [16]byte

// Keys under which an answer may be kept, in the order in which they are looked up. Either may be none.
type Keys struct {
	// Lasting is bound to no position: the answer under it never changes.
	Lasting Key
	// Current is bound to the position of the data when the request came.
	Current Key
}

// list returns the keys that there are, in the order in which they are looked up.
func (k Keys) list() []Key {
	list := make([]Key, 0, 2)
	if k.Lasting != (Key{}) {
		list = append(list, k.Lasting)
	}
	if k.Current != (Key{}) {
		list = append(list, k.Current)
	}
	return list
}

// none says that there is no key at all: what is asked for can't be kept.
func (k Keys) none() bool { return k == Keys{} }

// naming of keys in Redis.
type naming string // the prefix

// value is where the answer of key is.
func (prefix naming) value(key Key) string {
	return string(prefix) + base64.RawURLEncoding.EncodeToString(key[:])
}

// lock is whose turn it is to make the answer to keys. The braces put it into the same slot of a cluster as the most
// specific of the values: one node then sees the value stored before it sees the lock released.
func (prefix naming) lock(keys Keys) string {
	list := keys.list()
	return string(prefix) + "lock:{" + prefix.value(list[len(list)-1]) + "}"
}

// probe is written and read to see whether Redis is back.
func (prefix naming) probe() string { return string(prefix) + "probe" }
