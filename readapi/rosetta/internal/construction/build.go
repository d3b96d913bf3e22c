package construction

import (
	"encoding/hex"
	"strings"

	"strata/domain/c32"
	"strata/domain/clarity"
	"strata/domain/hash"
	"strata/domain/transaction"
	"strata/domain/transaction/key"
	"strata/readapi/rosetta/internal/fault"
	"strata/readapi/rosetta/internal/wire"
)

// SignatureType is the form of signatures: r, s and the recovery id.
const SignatureType = "ecdsa_recovery"

// Size returns the length of the unsigned transaction with some options, in bytes, whatever the chain says later.
func (b *Builder) Size(o Options) (int, error) {
	tx, err := b.Draft(o)
	if err != nil {
		return 0, err
	}
	return len(tx.Encode()), nil
}

// Draft returns an unsigned transaction that has the size of the one with some options.
func (b *Builder) Draft(o Options) (*transaction.Transaction, error) {
	p, err := b.payload(o, true)
	if err != nil {
		return nil, err
	}
	tx, err := transaction.Draft{Network: b.Network, Sponsored: text(o["sponsor_address"]) != ""}.Transaction(p)
	if err != nil {
		return nil, fault.Newf(fault.InvalidOperation, "%s", err)
	}
	return tx, nil
}

// Payloads returns the unsigned transaction of operations and what to sign. metadata is that of /construction/metadata.
func (b *Builder) Payloads(operations []wire.Operation, keys []wire.PublicKey, metadata map[string]any) (*wire.PayloadsAnswer, error) {
	if signed := text(metadata["origin_signed_transaction"]); signed != "" {
		return b.sponsorPayload(signed)
	}
	intent, err := b.Intent(operations)
	if err != nil {
		return nil, err
	}
	needsAmount := intent["type"] != typeCall && intent["type"] != typeDeploy
	switch {
	case needsAmount && intent["amount"] == nil:
		return nil, fault.New(fault.MissingAmount)
	case intent["fee"] == nil:
		return nil, fault.New(fault.MissingFee)
	case len(keys) == 0:
		return nil, fault.New(fault.MissingPublicKey)
	case text(intent["sender_address"]) == "":
		return nil, fault.New(fault.InvalidSender)
	}
	nonce, ok := nonceOf(metadata, "account_sequence", "sender_account_info")
	if !ok {
		return nil, fault.New(fault.MissingNonce)
	}
	sponsor := text(intent["sponsor_address"])
	if sponsor == "" && len(keys) != 1 || sponsor != "" && len(keys) != 2 {
		return nil, fault.New(fault.NeedOnePublicKey)
	}
	holders := map[string]key.Public{}
	for _, k := range keys {
		p, err := publicKey(k)
		if err != nil {
			return nil, err
		}
		holders[p.Address(b.mainnet()).String()] = p
	}
	o, err := intent.With(metadata)
	if err != nil {
		return nil, err
	}
	fee, ok := wholeNumber(strings.TrimPrefix(text(intent["fee"]), "-"))
	if !ok || !fee.IsUint64() {
		return nil, fault.New(fault.InvalidFee)
	}
	p, err := b.payload(o, false)
	if err != nil {
		return nil, err
	}
	sender, ok := holders[text(intent["sender_address"])]
	if !ok {
		return nil, fault.Newf(fault.InvalidPublicKey, "the public key is not that of %s", intent["sender_address"])
	}
	draft := transaction.Draft{Network: b.Network, Nonce: nonce, Fee: fee.Uint64()}
	if sponsor != "" {
		draft.Fee, draft.Sponsored = 0, true
	}
	tx, err := draft.Transaction(p)
	if err != nil {
		return nil, fault.Newf(fault.InvalidOperation, "%s", err)
	}
	tx.Origin.Signer, tx.Origin.KeyEncoding = sender.Hash160(), sender.Encoding()
	if sponsor != "" {
		payer, ok := holders[sponsor]
		if !ok {
			return nil, fault.Newf(fault.InvalidPublicKey, "no public key is that of the sponsor %s", sponsor)
		}
		payerNonce, ok := nonceOf(metadata, "sponsor_sequence", "sponsor_account_info")
		if !ok {
			return nil, fault.New(fault.MissingNonce)
		}
		*tx.Sponsor = transaction.SpendingCondition{
			HashMode: transaction.P2PKH, Signer: payer.Hash160(), Nonce: payerNonce, Fee: fee.Uint64(), KeyEncoding: payer.Encoding(),
		}
	}
	return payloadOf(tx, tx.Sender(), tx.OriginDigest()), nil
}

// sponsorPayload returns what the sponsor of a transaction signs once the origin has signed.
func (b *Builder) sponsorPayload(signed string) (*wire.PayloadsAnswer, error) {
	tx, err := b.Decode(signed)
	if err != nil {
		return nil, err
	}
	if err := tx.VerifyOrigin(); err != nil {
		return nil, fault.Newf(fault.NotSigned, "the origin has not signed: %s", err)
	}
	digest, ok := tx.SponsorDigest()
	if !ok {
		return nil, fault.Newf(fault.InvalidTransactionText, "the transaction has no sponsor")
	}
	return payloadOf(tx, tx.FeePayer(), digest), nil
}

func payloadOf(tx *transaction.Transaction, signer c32.Address, digest hash.Hash32) *wire.PayloadsAnswer {
	address := signer.String()
	return &wire.PayloadsAnswer{
		UnsignedTransaction: "0x" + hex.EncodeToString(tx.Encode()),
		Payloads: []wire.SigningPayload{{
			Address: address, AccountIdentifier: &wire.AccountIdentifier{Address: address}, HexBytes: hex.EncodeToString(digest[:]), SignatureType: SignatureType,
		}},
	}
}

// nonceOf reads a nonce, which is a member of its own or of an object in metadata.
func nonceOf(metadata map[string]any, name, object string) (uint64, bool) {
	given := metadata[name]
	if members, ok := metadata[object].(map[string]any); given == nil && ok {
		given = members["nonce"]
	}
	nonce, ok := wholeNumber(given)
	if !ok || !nonce.IsUint64() {
		return 0, false
	}
	return nonce.Uint64(), true
}

// Combine puts a signature into a transaction: the origin's, or, if that is there already, the sponsor's.
func (b *Builder) Combine(unsigned string, signatures []wire.Signature) (string, error) {
	if len(signatures) == 0 {
		return "", fault.New(fault.MissingSignature)
	}
	tx, err := b.Decode(unsigned)
	if err != nil {
		return "", err
	}
	if len(signatures) > 1 {
		return "", fault.New(fault.NeedOneSignature)
	}
	given := signatures[0]
	if given.PublicKey.CurveType != Curve {
		return "", fault.New(fault.InvalidCurve)
	}
	rsv, err := hex.DecodeString(strings.TrimPrefix(given.HexBytes, "0x"))
	if err != nil || len(rsv) != key.SignatureSize {
		return "", fault.New(fault.InvalidSignature)
	}
	var signature key.Signature
	signature[0] = rsv[len(rsv)-1]
	copy(signature[1:], rsv)
	condition, digest := &tx.Origin, tx.OriginDigest()
	if tx.Sponsor != nil && Signed(&tx.Origin) {
		condition = tx.Sponsor
		digest, _ = tx.SponsorDigest()
	}
	if !condition.HashMode.Single() {
		return "", fault.Newf(fault.UnsupportedSignature, "an account of several keys signs elsewhere")
	}
	if text := strings.TrimPrefix(given.SigningPayload.HexBytes, "0x"); text != "" && !strings.EqualFold(text, hex.EncodeToString(digest[:])) {
		return "", fault.Newf(fault.UnverifiedSignature, "the payload is not that of the transaction")
	}
	public, err := publicKey(given.PublicKey)
	if err != nil {
		return "", fault.New(fault.UnverifiedSignature)
	}
	recovered, err := key.Recover(digest, signature, public.Encoding())
	if err != nil || recovered != public || public.Hash160() != condition.Signer {
		return "", fault.New(fault.UnverifiedSignature)
	}
	condition.Signature = signature
	return "0x" + hex.EncodeToString(tx.Encode()), nil
}

// Signed reports whether a condition carries a signature.
func Signed(c *transaction.SpendingCondition) bool {
	if c.HashMode.Single() {
		return !c.Signature.IsZero()
	}
	return len(c.Fields) > 0
}

// FullySigned reports whether a transaction carries the signatures of its origin and its sponsor.
func FullySigned(tx *transaction.Transaction) bool {
	return Signed(&tx.Origin) && (tx.Sponsor == nil || Signed(tx.Sponsor))
}

// Hash returns the hash of a signed transaction, and its bytes.
func (b *Builder) Hash(signed string) (hash.Hash32, []byte, error) {
	tx, err := b.Decode(signed)
	if err != nil {
		return hash.Hash32{}, nil, err
	}
	if !FullySigned(tx) {
		return hash.Hash32{}, nil, fault.New(fault.NotSigned)
	}
	return tx.TxID(), tx.Encode(), nil
}

// IsStandard reports whether an address is one of an account that signs.
func IsStandard(address string) bool {
	p, err := clarity.ParsePrincipal(address)
	return err == nil && p.Contract == ""
}
