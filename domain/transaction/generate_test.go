package transaction_test

import (
	"pgregory.net/rapid"

	"strata/domain/c32"
	"strata/domain/clarity"
	"strata/domain/hash"
	"strata/domain/microblock"
	"strata/domain/transaction"
	"strata/domain/transaction/key"
	"strata/internal/testkit/must"
)

// Generators of valid transactions of every kind.

var (
	bytes20 = rapid.SliceOfN(rapid.Byte(), 20, 20)
	bytes32 = rapid.SliceOfN(rapid.Byte(), 32, 32)
	bytes65 = rapid.SliceOfN(rapid.Byte(), 65, 65)

	contractName = rapid.StringMatching(`[a-zA-Z][a-zA-Z0-9_-]{0,39}`)
	clarityName  = rapid.StringMatching(`[a-zA-Z][a-zA-Z0-9!?+<>=/*_-]{0,40}`)
)

var genAddress = rapid.Custom(func(t *rapid.T) c32.Address {
	return c32.Address{
		Version: rapid.ByteRange(0, 31).Draw(t, "version"),
		Hash160: [20]byte(bytes20.Draw(t, "hash160")),
	}
})

var genContract = rapid.Custom(func(t *rapid.T) clarity.Principal {
	return clarity.Principal{Address: genAddress.Draw(t, "address"), Contract: contractName.Draw(t, "contract")}
})

var genPrincipal = rapid.Custom(func(t *rapid.T) clarity.Principal {
	if rapid.Bool().Draw(t, "is contract") {
		return genContract.Draw(t, "contract")
	}
	return clarity.Principal{Address: genAddress.Draw(t, "address")}
})

var genValue = rapid.Custom(func(t *rapid.T) clarity.Value { return drawValue(t, 3) })

func drawValue(t *rapid.T, depth int) clarity.Value {
	must := func(v clarity.Value, err error) clarity.Value {
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	kinds := 6
	if depth > 0 {
		kinds = 8
	}
	switch rapid.IntRange(0, kinds).Draw(t, "value kind") {
	case 0:
		return clarity.NewInt64(rapid.Int64().Draw(t, "int"))
	case 1:
		return clarity.NewUint64(rapid.Uint64().Draw(t, "uint"))
	case 2:
		return clarity.NewBool(rapid.Bool().Draw(t, "bool"))
	case 3:
		return must(clarity.NewBuffer(rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "buffer")))
	case 4:
		return must(clarity.NewPrincipal(genPrincipal.Draw(t, "principal")))
	case 5:
		return must(clarity.NewUTF8(rapid.StringN(0, 10, 40).Draw(t, "text")))
	case 6:
		return clarity.NewNone()
	case 7:
		return clarity.NewSome(drawValue(t, depth-1))
	}
	return must(clarity.NewTuple(
		clarity.Field{Name: "a", Value: drawValue(t, depth-1)},
		clarity.Field{Name: "b-" + clarityName.Draw(t, "field"), Value: drawValue(t, depth-1)},
	))
}

var genPostCondition = rapid.Custom(func(t *rapid.T) transaction.PostCondition {
	c := transaction.PostCondition{Type: transaction.ConditionType(rapid.IntRange(0, 4).Draw(t, "type"))}
	if rapid.Bool().Draw(t, "origin") {
		c = c.OriginPrincipal()
	} else {
		c = c.Of(genPrincipal.Draw(t, "principal"))
	}
	if c.Type.HasAsset() {
		c.Asset = clarity.AssetID{Contract: genContract.Draw(t, "token"), Asset: clarityName.Draw(t, "asset")}
	}
	if c.Type.HasAmount() {
		c.Amount = rapid.Uint64().Draw(t, "amount")
	}
	switch c.Type {
	case transaction.ConditionNonFungible:
		c.AssetValue = genValue.Draw(t, "asset value")
		c.Code = transaction.ConditionCode(rapid.ByteRange(0x10, 0x12).Draw(t, "code"))
	case transaction.ConditionPox:
		c.Code = transaction.ConditionCode(rapid.ByteRange(0x30, 0x32).Draw(t, "code"))
	default:
		c.Code = transaction.ConditionCode(rapid.ByteRange(1, 5).Draw(t, "code"))
	}
	return c
})

var genField = rapid.Custom(func(t *rapid.T) transaction.Field {
	f := transaction.Field{Kind: transaction.FieldKind(rapid.ByteRange(0, 3).Draw(t, "kind"))}
	if f.Kind.Signature() {
		f.Signature = key.Signature(bytes65.Draw(t, "signature"))
	} else {
		f.PublicKey = [33]byte(bytes65.Draw(t, "key")[:33])
	}
	return f
})

var genCondition = rapid.Custom(func(t *rapid.T) transaction.SpendingCondition {
	c := transaction.SpendingCondition{
		HashMode: transaction.HashMode(rapid.SampledFrom([]int{0, 1, 2, 3, 5, 7}).Draw(t, "hash mode")),
		Signer:   hash.Hash20(bytes20.Draw(t, "signer")),
		Nonce:    rapid.Uint64().Draw(t, "nonce"),
		Fee:      rapid.Uint64().Draw(t, "fee"),
	}
	if c.HashMode.Single() {
		c.KeyEncoding = key.Encoding(rapid.ByteRange(0, 1).Draw(t, "key encoding"))
		c.Signature = key.Signature(bytes65.Draw(t, "signature"))
		return c
	}
	if fields := rapid.SliceOfN(genField, 0, 5).Draw(t, "fields"); len(fields) > 0 {
		c.Fields = fields
	}
	c.SignaturesRequired = rapid.Uint16().Draw(t, "required")
	return c
})

var genPayload = rapid.Custom(func(t *rapid.T) transaction.Payload {
	data := func() transaction.CoinbaseData { return transaction.CoinbaseData(bytes32.Draw(t, "coinbase data")) }
	deploy := func() transaction.SmartContract {
		return transaction.SmartContract{
			ContractName: contractName.Draw(t, "name"),
			Code:         rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "code"),
		}
	}
	switch rapid.IntRange(0, 8).Draw(t, "payload id") {
	case 0:
		memo := must.Get(transaction.NewMemo(rapid.SliceOfN(rapid.Byte(), 0, transaction.MemoSize).Draw(t, "memo")))(t)
		return &transaction.TokenTransfer{Recipient: genPrincipal.Draw(t, "to"), Amount: rapid.Uint64().Draw(t, "amount"), Memo: memo}
	case 1:
		p := deploy()
		return &p
	case 2:
		args := must.Get(transaction.NewArguments(rapid.SliceOfN(genValue, 0, 5).Draw(t, "arguments")...))(t)
		return &transaction.ContractCall{Contract: genContract.Draw(t, "contract"), Function: clarityName.Draw(t, "function"), Arguments: args}
	case 3:
		p := new(transaction.PoisonMicroblock)
		for i := range p.Headers {
			p.Headers[i] = microblock.Header{
				Version:   rapid.Byte().Draw(t, "version"),
				Sequence:  rapid.Uint16().Draw(t, "sequence"),
				PrevBlock: hash.Hash32(bytes32.Draw(t, "parent")),
				Signature: key.Signature(bytes65.Draw(t, "signature")),
			}
		}
		return p
	case 4:
		return &transaction.Coinbase{Data: data()}
	case 5:
		return &transaction.CoinbaseToAltRecipient{Data: data(), Recipient: genPrincipal.Draw(t, "recipient")}
	case 6:
		return &transaction.VersionedSmartContract{ClarityVersion: rapid.ByteRange(1, 6).Draw(t, "version"), SmartContract: deploy()}
	case 7:
		return &transaction.TenureChange{
			ConsensusHash:         hash.Hash20(bytes20.Draw(t, "tenure")),
			PrevConsensusHash:     hash.Hash20(bytes20.Draw(t, "previous tenure")),
			BurnViewConsensusHash: hash.Hash20(bytes20.Draw(t, "burn view")),
			PreviousEnd:           hash.Hash32(bytes32.Draw(t, "previous end")),
			PreviousBlocks:        rapid.Uint32().Draw(t, "previous blocks"),
			Cause:                 transaction.TenureCause(rapid.ByteRange(0, 6).Draw(t, "cause")),
			PubkeyHash:            hash.Hash20(bytes20.Draw(t, "public key hash")),
		}
	}
	p := &transaction.NakamotoCoinbase{Data: data()}
	if rapid.Bool().Draw(t, "has recipient") {
		recipient := genPrincipal.Draw(t, "recipient")
		p.Recipient = &recipient
	}
	copy(p.VRFProof[:], bytes65.Draw(t, "proof"))
	return p
})

var genTransaction = rapid.Custom(func(t *rapid.T) *transaction.Transaction {
	conditions := must.Get(transaction.NewPostConditions(
		transaction.PostConditionMode(rapid.ByteRange(1, 3).Draw(t, "mode")),
		rapid.SliceOfN(genPostCondition, 0, 4).Draw(t, "post-conditions")...))(t)
	tx := &transaction.Transaction{
		Envelope: transaction.Envelope{
			Version: transaction.Version(rapid.SampledFrom([]byte{0x00, 0x80}).Draw(t, "version")),
			ChainID: rapid.Uint32().Draw(t, "chain id"),
			Origin:  genCondition.Draw(t, "origin"),
		},
		AnchorMode:     transaction.AnchorMode(rapid.ByteRange(1, 3).Draw(t, "anchor mode")),
		PostConditions: conditions,
		Payload:        genPayload.Draw(t, "payload"),
	}
	if rapid.Bool().Draw(t, "sponsored") {
		sponsor := genCondition.Draw(t, "sponsor")
		tx.Sponsor = &sponsor
	}
	return tx
})

// rapid stores a generator's description on the first call of String, and reads it elsewhere without a lock. Parallel
// tests share these generators, so init calls String before they start.
func init() {
	for _, generator := range []interface{ String() string }{
		bytes20, bytes32, bytes65, contractName, clarityName, genAddress, genContract, genPrincipal, genValue,
		genPostCondition, genField, genCondition, genPayload, genTransaction,
	} {
		_ = generator.String()
	}
}
