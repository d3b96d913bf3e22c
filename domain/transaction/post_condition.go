package transaction

import (
	"encoding/binary"

	"strata/domain/c32"
	"strata/domain/clarity"
)

// ConditionType is the kind of asset that a post-condition guards. It decides the layout of the condition.
type ConditionType uint8

// The types of post-conditions.
const (
	ConditionSTX         ConditionType = 0
	ConditionFungible    ConditionType = 1
	ConditionNonFungible ConditionType = 2
	ConditionStaking     ConditionType = 3 // STX being staked, since epoch 4.0
	ConditionPox         ConditionType = 4 // stacking calls, since epoch 4.0
)

// String is the name that the APIs show, and "unknown" for a type without one.
func (t ConditionType) String() string {
	switch t {
	case ConditionSTX:
		return "stx"
	case ConditionFungible:
		return "fungible"
	case ConditionNonFungible:
		return "non_fungible"
	case ConditionStaking:
		return "staking"
	case ConditionPox:
		return "pox"
	}
	return "unknown"
}

// HasAsset reports whether conditions of this type name a token.
func (t ConditionType) HasAsset() bool { return t == ConditionFungible || t == ConditionNonFungible }

// HasAmount reports whether conditions of this type compare an amount.
func (t ConditionType) HasAmount() bool {
	return t == ConditionSTX || t == ConditionFungible || t == ConditionStaking
}

// Allows reports whether a code is one of those defined for the type. Reading does not ask: a later epoch may define
// more.
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

// ConditionPrincipalKind says how a post-condition names the account that it is about.
type ConditionPrincipalKind uint8

// The kinds of principals.
const (
	PrincipalOrigin   ConditionPrincipalKind = 1 // the sender of the transaction
	PrincipalStandard ConditionPrincipalKind = 2
	PrincipalContract ConditionPrincipalKind = 3
)

// String is the type_id that the APIs show, and "unknown" for a kind without one.
func (k ConditionPrincipalKind) String() string {
	switch k {
	case PrincipalOrigin:
		return "principal_origin"
	case PrincipalStandard:
		return "principal_standard"
	case PrincipalContract:
		return "principal_contract"
	}
	return "unknown"
}

// PostCondition is what must hold of one account and one asset when the transaction ends.
type PostCondition struct {
	Type          ConditionType
	PrincipalKind ConditionPrincipalKind
	Principal     clarity.Principal // empty for PrincipalOrigin
	Asset         clarity.AssetID   // the token, for types with HasAsset
	AssetValue    clarity.Value     // which one of the tokens, for ConditionNonFungible
	Code          ConditionCode
	Amount        uint64 // for types with HasAmount, in the smallest unit
}

// OriginPrincipal fills the principal of c with the sender of the transaction.
func (c PostCondition) OriginPrincipal() PostCondition {
	c.PrincipalKind, c.Principal = PrincipalOrigin, clarity.Principal{}
	return c
}

// Of fills the principal of c with an account or a contract.
func (c PostCondition) Of(p clarity.Principal) PostCondition {
	c.PrincipalKind, c.Principal = PrincipalStandard, p
	if p.Contract != "" {
		c.PrincipalKind = PrincipalContract
	}
	return c
}

// read reads one condition; with a nil receiver it only steps over it, without allocating. It returns false, with
// the reader anywhere, when the type of the
// condition or the kind of its principal has an unknown layout.
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
