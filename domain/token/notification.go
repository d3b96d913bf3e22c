package token

import (
	"math/big"
	"strings"

	"strata/domain/clarity"
)

// PrintTopic is the topic of the contract events that hold notifications and SFT prints. Values of any other topic are
// neither.
const PrintTopic = "print"

// UpdateMode says how long metadata stays as it is after a notification (SIP-019).
type UpdateMode string

// Update modes.
const (
	// Standard: until the next notification.
	Standard UpdateMode = "standard"
	// Frozen: forever.
	Frozen UpdateMode = "frozen"
	// Dynamic: until the notification's time to live is over, again and again.
	Dynamic UpdateMode = "dynamic"
)

// TTLMax is 100 years in seconds; what lives longer lives as long for us.
const TTLMax = 100 * 365 * 24 * 60 * 60

// Notification is a contract's word that the metadata of tokens has changed (SIP-019).
type Notification struct {
	Class Kind
	// Contract of the tokens, as ADDRESS.name in canonical form. It need not be the one that printed: see AuthorisedBy.
	Contract string
	// TokenIDs are from 0 to 2^128-1, each once, in the order of the print. Empty means all tokens of the contract.
	TokenIDs []*big.Int
	Mode     UpdateMode
	// TTL in seconds, from 0 to TTLMax; nil when there is none.
	TTL *int64
}

// ParseNotification reads a printed value; false when it is no notification. It is
//
//	{ notification: "token-metadata-update",
//	  payload: { token-class, contract-id, token-ids?, update-mode?, ttl? } }
//
// Words may be string-ascii, string-utf8 or buffers, contract-id also a principal, ids also int. Ids are read for nft,
// where none or an empty list stands for all tokens, and for sft, which must have them. An empty update-mode is
// standard, an unknown one makes it no notification. A ttl that is no uint is ignored.
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

// AuthorisedBy says whether the notification counts: it does when it was printed by the contract that it is about, or in
// a transaction of that contract's owner. The emitter is the id of the contract that printed, the origin the address
// that signed the transaction (not its sponsor), both in canonical form.
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

// contractID reads the id of a contract in any of its forms, and returns the canonical one.
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
	// Values are decoded leniently: the name of a principal may be anything.
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
