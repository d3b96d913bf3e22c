package synthchain

import (
	"encoding/binary"
	"fmt"

	"strata/domain/c32"
	"strata/domain/hash"
	"strata/domain/transaction"
	"strata/domain/transaction/key"
)

// account is an owner of keys, who can sign.
type account struct {
	party   party
	address c32.Address
	mode    transaction.HashMode
	signer  hash.Hash20
	keys    []key.Private
	public  []key.Public
	shared  transaction.Multisig // only for modes with several keys
}

// multisigKeys is the number of keys, multisigRequired the number of signatures of an account with several keys.
const (
	multisigKeys     = 3
	multisigRequired = 2
)

// accountMode returns the kind of account i. Most accounts have one key, as on real chains. The first four, which mine,
// are all of the plainest kind.
func accountMode(i int, g Generation) (mode transaction.HashMode, encoding key.Encoding) {
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
		if g >= V30 {
			return transaction.P2SHOrderIndependent, key.Compressed
		}
	case 15:
		if g >= V30 {
			return transaction.P2WSHP2SHOrderIndependent, key.Compressed
		}
	}
	return transaction.P2PKH, key.Compressed
}

// newAccount derives account i from the seed of the chain.
func newAccount(cfg Config, r *roll, i int) *account {
	mode, encoding := accountMode(i, cfg.Generation)
	count := multisigKeys
	if mode.Single() {
		count = 1
	}
	a := &account{mode: mode}
	for n := range count {
		k := deriveKey(cfg.Seed, fmt.Sprintf("account %d", i), n, encoding)
		a.keys = append(a.keys, k)
		a.public = append(a.public, k.Public())
	}
	required := 1
	if !mode.Single() {
		required = multisigRequired
		shared, err := transaction.NewMultisig(mode, required, a.public...)
		noError(err)
		a.shared = shared
	}
	signer, err := transaction.SignerHash(mode, uint16(required), a.public...)
	noError(err)
	a.signer = signer
	a.address = c32.Address{Version: mode.AddressVersion(cfg.Network.mainnet()), Hash160: signer}
	a.party = r.number(standard(a.address))
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
	plain, err := key.ParsePrivate(k.Hex()[:2*key.PrivateSize])
	noError(err)
	return plain
}

// sign signs t as origin. Unless genuine is set, the signatures decode but do not verify.
//
// sign repeats the steps of transaction.Sign, which would derive the public keys each time. That takes as long as
// signing, and the account knows its public keys.
func (a *account) sign(t *transaction.Transaction, genuine bool, fake func() key.Signature) {
	t.Origin = a.condition(t.Origin.Nonce, t.Origin.Fee)
	a.fill(&t.Origin, fake, t.OriginDigest, genuine)
}

// sponsor signs t as sponsor. The origin must have signed, and the sponsor's nonce and fee must be set.
func (a *account) sponsor(t *transaction.Transaction, genuine bool, fake func() key.Signature) {
	*t.Sponsor = a.condition(t.Sponsor.Nonce, t.Sponsor.Fee)
	a.fill(t.Sponsor, fake, func() hash.Hash32 {
		digest, _ := t.SponsorDigest()
		return digest
	}, genuine)
}

// condition returns an unsigned spending condition of the account.
func (a *account) condition(nonce, fee uint64) transaction.SpendingCondition {
	if a.mode.Single() {
		return transaction.SpendingCondition{
			HashMode: a.mode, Signer: a.signer, Nonce: nonce, Fee: fee, KeyEncoding: a.public[0].Encoding(),
		}
	}
	return a.shared.Condition(nonce, fee)
}

// fill adds the signatures to a condition. digest returns the hash that the next signature must sign.
func (a *account) fill(c *transaction.SpendingCondition, fake func() key.Signature, digest func() hash.Hash32, genuine bool) {
	signature := func(k key.Private) key.Signature {
		if genuine {
			return k.Sign(digest())
		}
		return fake()
	}
	if a.mode.Single() {
		c.Signature = signature(a.keys[0])
		return
	}
	for i, p := range a.public {
		if i < multisigRequired {
			c.Fields = append(c.Fields, transaction.SignatureField(signature(a.keys[i]), p.Encoding()))
		} else {
			c.Fields = append(c.Fields, transaction.PublicKeyField(p))
		}
	}
}
