package bns

import (
	"encoding/binary"
	"fmt"
	"strings"

	"strata/projections/internal/ranked"
)

// Names of lists. Those that end with a colon are prefixes of a namespace or an owner.
const (
	listNames   = "names"
	listValid   = "valid"
	listExpired = "expired"
	listRevoked = "revoked"

	listNamespace = "namespace:"
	listActive    = "active:"
	listLapsed    = "lapsed:"
	listDisabled  = "disabled:"

	listHeld      = "held:"
	listOver      = "over:"
	listWithdrawn = "withdrawn:"
)

// listSource returns the query for the keys of a list.
func listSource(list string) (query string, args []any) {
	const names = `SELECT key_a AS a, key_b AS b, key_c AS c FROM {schema}.name WHERE until_height IS NULL AND owner IS NOT NULL`
	switch list {
	case listNames:
		return names, nil
	case listValid:
		return names + ` AND valid`, nil
	case listExpired:
		return names + ` AND NOT valid`, nil
	case listRevoked:
		return names + ` AND revoked`, nil
	}
	prefix, of, _ := strings.Cut(list, ":")
	condition, ok := map[string]string{
		listNamespace: `namespace = $1`, listActive: `namespace = $1 AND valid AND NOT revoked`,
		listLapsed: `namespace = $1 AND NOT valid`, listDisabled: `namespace = $1 AND revoked`,
		listHeld: `owner = $1 AND valid`, listOver: `owner = $1 AND NOT valid`, listWithdrawn: `owner = $1 AND revoked`,
	}[prefix+":"]
	if !ok {
		panic(fmt.Sprintf("bns: there is no list %q", list))
	}
	return names + ` AND ` + condition, []any{of}
}

// keyOf returns the key of a full name in lists: its first 24 bytes.
func keyOf(fullName string) (key ranked.Key) {
	var bytes [8 * len(key)]byte
	copy(bytes[:], fullName)
	for i := range key {
		key[i] = int64(binary.BigEndian.Uint64(bytes[8*i:]) ^ 1<<63)
	}
	return key
}

// membership is what decides in which lists a name is.
type membership struct {
	fullName, namespace, owner string
	valid, revoked             bool
}

// list applies a change to the lists that contain the name.
func (m *membership) list(change func(list string, key ranked.Key)) {
	if m.owner == "" { // burned
		return
	}
	key := keyOf(m.fullName)
	change(listNames, key)
	change(listNamespace+m.namespace, key)
	if m.valid {
		change(listValid, key)
		change(listHeld+m.owner, key)
		if !m.revoked {
			change(listActive+m.namespace, key)
		}
	} else {
		change(listExpired, key)
		change(listOver+m.owner, key)
		change(listLapsed+m.namespace, key)
	}
	if m.revoked {
		change(listRevoked, key)
		change(listWithdrawn+m.owner, key)
		change(listDisabled+m.namespace, key)
	}
}
