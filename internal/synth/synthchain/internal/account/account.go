// Package account makes up accounts and signs their transactions.
package account

import (
	"encoding/binary"
	"fmt"

	"strata/domain/c32"
	"strata/domain/clarity"
	"strata/domain/hash"
	"strata/domain/transaction"
	"strata/domain/transaction/key"
	"strata/internal/synth/synthchain/internal/ledger"
	"strata/internal/synth/synthchain/internal/node"
	"strata/internal/synth/value"
)

// Account is an owner of keys, who can sign.
type Account struct {
	Party   ledger.Party
	Address c32.Address
	Keys    []key.Private
	Public  []key.Public // of Keys, in the same order
	mode    transaction.HashMode
	signer  hash.Hash20
	shared  transaction.Multisig // only for modes with several keys
}

// multisigKeys is the number of keys, multisigRequired the number of signatures of an account with several keys.
const (
	multisigKeys     = 3
	multisigRequired = 2
)

// modeOf returns the kind of account i. Most accounts have one key, as on real chains. The first four, which mine,
// are all of the plainest kind.
func modeOf(i int, g node.Generation) (mode transaction.HashMode, encoding key.Encoding) {
	switch i % 16 {
	case 5:
		return transaction.P2PKH, key.Uncompressed
	case 7:
		return transaction.P2WPKHP2SH, key.Compressed
	case 9:
		return transaction.P2SH, key.Compressed
	case 11:
		return transaction.P2WSHP2SH, key.Compressed
	case 13:
		if g >= node.V30 {
			return transaction.P2SHOrderIndependent, key.Compressed
		}
	case 15:
		if g >= node.V30 {
			return transaction.P2WSHP2SHOrderIndependent, key.Compressed
		}
	}
	return transaction.P2PKH, key.Compressed
}

// New derives account i from the seed of the chain and enters it in the roll.
func New(seed uint64, network node.Network, g node.Generation, roll *ledger.Roll, i int) *Account {
	mode, encoding := modeOf(i, g)
	count := multisigKeys
	if mode.Single() {
		count = 1
	}
	a := &Account{mode: mode}
	for n := range count {
		k := deriveKey(seed, fmt.Sprintf("account %d", i), n, encoding)
		a.Keys = append(a.Keys, k)
		a.Public = append(a.Public, k.Public())
	}
	required := 1
	if !mode.Single() {
		required = multisigRequired
		a.shared = value.Must(transaction.NewMultisig(mode, required, a.Public...))
	}
	a.signer = value.Must(transaction.SignerHash(mode, uint16(required), a.Public...))
	a.Address = c32.Address{Version: mode.AddressVersion(network == node.Mainnet), Hash160: a.signer}
	a.Party = roll.Number(clarity.Principal{Address: a.Address})
	return a
}

// deriveKey derives a private key from the seed of the chain. purpose and n tell keys of one chain apart.
func deriveKey(seed uint64, purpose string, n int, encoding key.Encoding) key.Private {
	material := binary.BigEndian.AppendUint64([]byte("strata synthetic chain "), seed)
	material = append(material, purpose...)
	material = binary.BigEndian.AppendUint32(material, uint32(n))
	k := key.FromSeed(material)
	if encoding == key.Compressed {
		return k
	}
	return value.Must(key.ParsePrivate(k.Hex()[:2*key.PrivateSize]))
}

// Sign signs t as origin. Unless genuine is set, the signatures decode but do not verify.
//
// Sign repeats the steps of transaction.Sign, which would derive the public keys each time. That takes as long as
// signing, and the account knows its public keys.
func (a *Account) Sign(t *transaction.Transaction, genuine bool, fake func() key.Signature) {
	t.Origin = a.condition(t.Origin.Nonce, t.Origin.Fee)
	a.fill(&t.Origin, fake, t.OriginDigest, genuine)
}

// Sponsor signs t as sponsor. The origin must have signed, and the sponsor's nonce and fee must be set.
func (a *Account) Sponsor(t *transaction.Transaction, genuine bool, fake func() key.Signature) {
	*t.Sponsor = a.condition(t.Sponsor.Nonce, t.Sponsor.Fee)
	a.fill(t.Sponsor, fake, func() hash.Hash32 {
		digest, _ := t.SponsorDigest()
		return digest
	}, genuine)
}

// condition returns an unsigned spending condition of the account.
func (a *Account) condition(nonce, fee uint64) transaction.SpendingCondition {
	if a.mode.Single() {
		return transaction.SpendingCondition{
			HashMode: a.mode, Signer: a.signer, Nonce: nonce, Fee: fee, KeyEncoding: a.Public[0].Encoding(),
		}
	}
	return a.shared.Condition(nonce, fee)
}

// fill adds the signatures to a condition. digest returns the hash that the next signature must sign.
func (a *Account) fill(
	c *transaction.SpendingCondition, fake func() key.Signature, digest func() hash.Hash32, genuine bool,
) {
	signature := func(k key.Private) key.Signature {
		if genuine {
			return k.Sign(digest())
		}
		return fake()
	}
	if a.mode.Single() {
		c.Signature = signature(a.Keys[0])
		return
	}
	for i, p := range a.Public {
		if i < multisigRequired {
			c.Fields = append(c.Fields, transaction.SignatureField(signature(a.Keys[i]), p.Encoding()))
		} else {
			c.Fields = append(c.Fields, transaction.PublicKeyField(p))
		}
	}
}

// SignerKey returns the first public key in the form of the PoX contracts.
func (a *Account) SignerKey() clarity.Value {
	compressed := a.Public[0].CompressedBytes()
	return value.Buffer(compressed[:])
}
