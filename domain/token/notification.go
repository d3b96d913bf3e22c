package token

import (
	"math/big"
	"strings"

	"strata/domain/clarity"
)

// PrintTopic is the topic of the contract events that hold notifications and SFT prints. Events of other topics never
// hold them.
const PrintTopic = "print"

// UpdateMode says how long metadata stays valid after a notification (SIP-019).
type UpdateMode string

// Update modes.
const (
	// Standard metadata is valid until the next notification.
	Standard UpdateMode = "standard"
	// Frozen metadata is valid forever.
	Frozen UpdateMode = "frozen"
	// Dynamic metadata must be fetched again whenever the notification's time to live is over.
	Dynamic UpdateMode = "dynamic"
)

// TTLMax is the longest time to live, 100 years in seconds. A longer one counts as TTLMax.
const TTLMax = 100 * 365 * 24 * 60 * 60

// Notification is a contract's announcement that the metadata of tokens has changed (SIP-019).
type Notification struct {
	Class Kind
	// Contract of the tokens, as ADDRESS.name in canonical form. Another contract may have printed the notification:
	// see AuthorisedBy.
	Contract string
	// TokenIDs are from 0 to 2^128-1, each once, in the order of the print. Empty means all tokens of the contract.
	TokenIDs []*big.Int
	Mode     UpdateMode
	// TTL is the time to live in seconds, from 0 to TTLMax; nil for none.
	TTL *int64
}

// ParseNotification parses a printed value; false if it is not a notification. A notification has the form
//
//	{ notification: "token-metadata-update",
//	  payload: { token-class, contract-id, token-ids?, update-mode?, ttl? } }
//
// Words may be string-ascii, string-utf8 or buffers. A contract-id may also be a principal, and ids may also be int. An
// nft notification without ids, or with an empty list, means all tokens. An sft notification must have ids. The ids of
// an ft notification are ignored. An empty update-mode means standard, and a value with an unknown update-mode is not a
// notification. A ttl that is not a uint is ignored.
func ParseNotification(v clarity.Value) (Notification, bool) {
	if word, ok := wordIn(v, "notification"); !ok || word != "token-metadata-update" {
		return Notification{}, false
	}
	payload, _ := v.Field("payload")
	var n Notification
	class, _ := wordIn(payload, "token-class")
	n.Class = Kind(class)
	id, _ := payload.Field("contract-id")
	var ok bool
	if n.Contract, ok = contractID(id); !ok {
		return Notification{}, false
	}
	if n.TokenIDs, ok = tokenIDs(n.Class, payload); !ok {
		return Notification{}, false
	}
	if n.Mode, ok = updateMode(payload); !ok {
		return Notification{}, false
	}
	n.TTL = ttl(payload)
	return n, true
}

// AuthorisedBy reports whether the notification counts: if the contract of the tokens printed it, or if the transaction
// is from that contract's owner. The emitter is the id of the contract that printed the notification. The origin is the
// address that signed the transaction (not its sponsor). Both are in canonical form.
func (n Notification) AuthorisedBy(emitter, origin string) bool {
	owner, _, ok := strings.Cut(n.Contract, ".")
	return ok && (emitter == n.Contract || origin == owner)
}

func wordIn(tuple clarity.Value, field string) (string, bool) {
	v, ok := tuple.Field(field)
	if !ok {
		return "", false
	}
	return wordOf(v)
}

// contractID returns the canonical form of a contract id in any of its forms.
func contractID(v clarity.Value) (string, bool) {
	p, ok := v.Principal()
	if !ok {
		text, ok := wordOf(v)
		if !ok {
			return "", false
		}
		var err error
		if p, err = clarity.ParsePrincipal(text); err != nil {
			return "", false
		}
	}
	// Decoding is lenient, so the name of a principal may be anything.
	if !p.IsContract() || !clarity.IsContractName(p.Contract) {
		return "", false
	}
	return p.String(), true
}

func tokenIDs(class Kind, payload clarity.Value) ([]*big.Int, bool) {
	list, present := payload.Field("token-ids")
	switch class {
	case FT:
		return nil, true
	case NFT:
		if !present {
			return nil, true
		}
	case SFT:
		if list.Len() == 0 {
			return nil, false
		}
	default:
		return nil, false
	}
	if list.Type() != clarity.TypeList {
		return nil, false
	}
	var ids []*big.Int
	seen := make(map[string]bool)
	for _, element := range list.Elements() {
		id, ok := element.Int()
		if !ok || id.Sign() < 0 {
			return nil, false
		}
		if digits := id.String(); !seen[digits] {
			seen[digits] = true
			ids = append(ids, id)
		}
	}
	return ids, true
}

func updateMode(payload clarity.Value) (UpdateMode, bool) {
	v, present := payload.Field("update-mode")
	if !present {
		return Standard, true
	}
	word, ok := wordOf(v)
	if !ok {
		return "", false
	}
	switch mode := UpdateMode(word); mode {
	case "":
		return Standard, true
	case Standard, Frozen, Dynamic:
		return mode, true
	}
	return "", false
}

func ttl(payload clarity.Value) *int64 {
	v, _ := payload.Field("ttl")
	if v.Type() != clarity.TypeUint {
		return nil
	}
	seconds := int64(TTLMax)
	if n, ok := v.Uint64(); ok && n < TTLMax {
		seconds = int64(n)
	}
	return &seconds
}
