package cache

import "encoding/base64"

// Key is a digest of everything that an answer depends on, so that it never stands for two different contents. The zero
// Key means no key.
type Key [16]byte

// Keys are the keys under which an answer may be cached, in the order of look-up. Either may be zero.
type Keys struct {
	// Lasting is independent of the position of the data: the answer under it never changes.
	Lasting Key
	// Current belongs to the position of the data when the request arrived.
	Current Key
	// Flight is for callers that don't know that position: those with the same one share a maker, although no answer is
	// cached under it.
	Flight Key
}

// list returns the keys that are set, in the order of look-up.
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

// none reports whether there is no key at all, so that the answer can't be cached.
func (k Keys) none() bool { return k.Lasting == Key{} && k.Current == Key{} }

// naming names the keys in Redis. Its value is their common prefix.
type naming string

// value returns the name under which the value of key is stored.
func (prefix naming) value(key Key) string {
	return string(prefix) + base64.RawURLEncoding.EncodeToString(key[:])
}

// lock returns the name of the lock for making the value of keys. The braces put it into the same cluster slot as the most
// specific of the values: one node then sees the value stored before it sees the lock released.
func (prefix naming) lock(keys Keys) string {
	list := keys.list()
	return string(prefix) + "lock:{" + prefix.value(list[len(list)-1]) + "}"
}

// probe returns the name of the key that is written and read to check whether Redis is back.
func (prefix naming) probe() string { return string(prefix) + "probe" }
