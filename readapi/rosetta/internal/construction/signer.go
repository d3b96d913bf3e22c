package construction

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"math/big"
	"strings"

	"strata/domain/clarity"
	"strata/domain/hash"
	"strata/domain/transaction/key"
	"strata/readapi/rosetta/internal/fault"
)

// SignerMessage returns the hash that a signer signs to allow a call of stack-stx of pox-4 (SIP-018).
func (b *Builder) SignerMessage(o Options) (hash.Hash32, error) {
	a := &arguments{}
	a.add(b.rewardAddress(text(o["pox_addr"])))
	a.uint(o, "reward_cycle_id", nil)
	a.uint(o, "number_of_cycles", nil)
	a.uint(o, "pox_auth_id", nil)
	amount, _ := wholeNumber(o["amount"])
	a.uint(o, "pox_max_amount", amount)
	a.add(clarity.NewASCII("stack-stx"))
	if a.err != nil {
		return hash.Hash32{}, a.err
	}
	message, err := clarity.NewTuple(
		clarity.Field{Name: "pox-addr", Value: a.values[0]}, clarity.Field{Name: "reward-cycle", Value: a.values[1]},
		clarity.Field{Name: "period", Value: a.values[2]}, clarity.Field{Name: "auth-id", Value: a.values[3]},
		clarity.Field{Name: "max-amount", Value: a.values[4]}, clarity.Field{Name: "topic", Value: a.values[5]},
	)
	if err != nil {
		return hash.Hash32{}, fault.Newf(fault.InvalidOperation, "%s", err)
	}
	d := &arguments{}
	d.add(clarity.NewASCII("pox-4-signer"))
	d.add(clarity.NewASCII("1.0.0"))
	if d.err != nil {
		return hash.Hash32{}, d.err
	}
	domain, err := clarity.NewTuple(
		clarity.Field{Name: "name", Value: d.values[0]}, clarity.Field{Name: "version", Value: d.values[1]},
		clarity.Field{Name: "chain-id", Value: clarity.NewUint64(uint64(b.Network.ChainID))},
	)
	if err != nil {
		return hash.Hash32{}, fault.Newf(fault.InvalidOperation, "%s", err)
	}
	domainHash, messageHash := sha256.Sum256(domain.Raw()), sha256.Sum256(message.Raw())
	return sha256.Sum256(append(append([]byte("SIP018"), domainHash[:]...), messageHash[:]...)), nil
}

// SignForSigner adds the signer's signature to options that have its private key.
func (b *Builder) SignForSigner(o Options) error {
	secret := strings.TrimPrefix(text(o["signer_private_key"]), "0x")
	if secret == "" || text(o["signer_signature"]) != "" {
		return nil
	}
	private, err := key.ParsePrivate(secret)
	if err != nil {
		return fault.Newf(fault.InvalidOperation, "signer_private_key is no private key")
	}
	message, err := b.SignerMessage(o)
	if err != nil {
		return err
	}
	vrs := private.Sign(message)
	o["signer_signature"] = hex.EncodeToString(append(vrs[1:len(vrs):len(vrs)], vrs[0]))
	return nil
}

// NewAuthID returns a random number for a signer's permission.
func NewAuthID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return new(big.Int).SetBytes(b[:]).String()
}
