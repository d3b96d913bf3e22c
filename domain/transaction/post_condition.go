package transaction

import (
	"encoding/binary"

	"strata/domain/c32"
	"strata/domain/clarity"
)

// ConditionType is the kind of asset that a post-condition guards. It determines the layout of the condition.
type ConditionType uint8

// The types of post-conditions.
const (
	ConditionSTX         ConditionType = 0
	ConditionFungible    ConditionType = 1
	ConditionNonFungible ConditionType = 2
	ConditionStaking     ConditionType = 3 // STX that are staked, since epoch 4.0
	ConditionPox         ConditionType = 4 // stacking calls, since epoch 4.0
)

var conditionTypeNames = [...]string{
	ConditionSTX:         "stx",
	ConditionFungible:    "fungible",
	ConditionNonFungible: "non_fungible",
	ConditionStaking:     "staking",
	ConditionPox:         "pox",
}

// String returns the name that existing APIs show, or "unknown".
func (t ConditionType) String() string { return nameIn(conditionTypeNames[:], uint8(t)) }

// HasAsset reports whether conditions of this type name a token.
func (t ConditionType) HasAsset() bool { return t == ConditionFungible || t == ConditionNonFungible }

// HasAmount reports whether conditions of this type compare an amount.
func (t ConditionType) HasAmount() bool {
	return t == ConditionSTX || t == ConditionFungible || t == ConditionStaking
}

// Allows reports whether the code is defined for the type. Decoding does not check this, because a later epoch may
// define more codes.
func (t ConditionType) Allows(code ConditionCode) bool {
	switch t {
	case ConditionSTX, ConditionFungible, ConditionStaking:
		return code >= SentEqual && code <= SentLessOrEqual
	case ConditionNonFungible:
		return code >= Sent && code <= MaybeSent
	case ConditionPox:
		return code >= NotPerformed && code <= Performed
	}
	return false
}

// ConditionPrincipalKind tells how a post-condition names the account that it applies to.
type ConditionPrincipalKind uint8

// The kinds of condition principals.
const (
	PrincipalOrigin   ConditionPrincipalKind = 1 // the sender of the transaction
	PrincipalStandard ConditionPrincipalKind = 2
	PrincipalContract ConditionPrincipalKind = 3
)

var principalKindNames = [...]string{
	PrincipalOrigin:   "principal_origin",
	PrincipalStandard: "principal_standard",
	PrincipalContract: "principal_contract",
}

// String returns the type_id that existing APIs show, or "unknown".
func (k ConditionPrincipalKind) String() string { return nameIn(principalKindNames[:], uint8(k)) }

// PostCondition is a requirement for one account and one asset that must hold when the transaction ends.
type PostCondition struct {
	Type          ConditionType
	PrincipalKind ConditionPrincipalKind
	Principal     clarity.Principal // empty for PrincipalOrigin
	Asset         clarity.AssetID   // the token, for types with HasAsset
	AssetValue    clarity.Value     // the id of the token, for ConditionNonFungible
	Code          ConditionCode
	Amount        uint64 // for types with HasAmount, in the smallest unit
}

// OriginPrincipal returns c for the sender of the transaction.
func (c PostCondition) OriginPrincipal() PostCondition {
	c.PrincipalKind, c.Principal = PrincipalOrigin, clarity.Principal{}
	return c
}

// Of returns c for the principal p, an account or a contract.
func (c PostCondition) Of(p clarity.Principal) PostCondition {
	c.PrincipalKind, c.Principal = PrincipalStandard, p
	if p.Contract != "" {
		c.PrincipalKind = PrincipalContract
	}
	return c
}

// read reads one condition. With a nil receiver it only checks the condition and skips it, without allocating. It
// returns false if the layout is unknown, because of the condition's type or the kind of its principal; the reader's
// position is then undefined.
func (c *PostCondition) read(r *reader) bool {
	typ := ConditionType(r.u8("post-condition type"))
	kind := ConditionPrincipalKind(r.u8("post-condition principal kind"))
	if r.err != nil {
		return true
	}
	if typ > ConditionPox {
		return false
	}
	var address c32.Address
	var contract []byte
	switch kind {
	case PrincipalOrigin:
	case PrincipalStandard:
		address = r.address("post-condition principal")
	case PrincipalContract:
		address = r.address("post-condition principal")
		contract = r.name("post-condition principal")
	default:
		return false
	}
	var token c32.Address
	var tokenContract, tokenName []byte
	if typ.HasAsset() {
		token = r.address("post-condition asset contract")
		tokenContract = r.name("post-condition asset contract")
		tokenName = r.name("post-condition asset name")
	}
	var value clarity.Value
	if typ == ConditionNonFungible {
		value = r.value("post-condition asset value")
	}
	code := ConditionCode(r.u8("post-condition code"))
	var amount uint64
	if typ.HasAmount() {
		amount = r.u64("post-condition amount")
	}
	if c != nil && r.err == nil {
		*c = PostCondition{
			Type:          typ,
			PrincipalKind: kind,
			Principal:     clarity.Principal{Address: address, Contract: string(contract)},
			Asset: clarity.AssetID{
				Contract: clarity.Principal{Address: token, Contract: string(tokenContract)},
				Asset:    string(tokenName),
			},
			AssetValue: value,
			Code:       code,
			Amount:     amount,
		}
	}
	return true
}

func (c *PostCondition) appendTo(dst []byte) []byte {
	dst = append(dst, byte(c.Type), byte(c.PrincipalKind))
	if c.PrincipalKind != PrincipalOrigin {
		dst = appendAddress(dst, c.Principal.Address)
	}
	if c.PrincipalKind == PrincipalContract {
		dst = appendName(dst, c.Principal.Contract)
	}
	if c.Type.HasAsset() {
		dst = appendAddress(dst, c.Asset.Contract.Address)
		dst = appendName(dst, c.Asset.Contract.Contract)
		dst = appendName(dst, c.Asset.Asset)
	}
	if c.Type == ConditionNonFungible {
		dst = append(dst, c.AssetValue.Raw()...)
	}
	dst = append(dst, byte(c.Code))
	if c.Type.HasAmount() {
		dst = binary.BigEndian.AppendUint64(dst, c.Amount)
	}
	return dst
}
