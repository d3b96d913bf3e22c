package transaction_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"strata/domain/transaction"
	"strata/domain/transaction/key"
	"strata/internal/testkit/must"
	"strata/internal/testkit/vector"
)

type conditionRow struct {
	HashMode  uint8   `json:"hash_mode"`
	Signer    string  `json:"signer_hash160"`
	Address   string  `json:"address"`
	Nonce     string  `json:"nonce"`
	Fee       string  `json:"fee"`
	Encoding  *uint8  `json:"key_encoding"`
	Signature *string `json:"signature"`
	Required  *uint16 `json:"signatures_required"`
	Fields    []struct {
		Kind      uint8   `json:"type_id"`
		PublicKey *string `json:"public_key"`
		Signature *string `json:"signature"`
	} `json:"fields"`
}

type walkRow struct {
	Presign []string `json:"presign"`
	Pubkeys []string `json:"pubkeys"`
	Valid   bool     `json:"valid"`
}

type postConditionRow struct {
	AssetInfoID     uint8   `json:"asset_info_id"`
	PrincipalTypeID uint8   `json:"principal_type_id"`
	Principal       *string `json:"principal"`
	AssetIdentifier *string `json:"asset_identifier"`
	AssetValue      *struct {
		Hex  string `json:"hex"`
		Repr string `json:"repr"`
	} `json:"asset_value"`
	Code   uint8   `json:"condition_code"`
	Name   string  `json:"condition_name"`
	Amount *string `json:"amount"`
}

type transactionRow struct {
	Source            string             `json:"source"`
	RawTx             string             `json:"raw_tx"`
	Size              int                `json:"size"`
	TxID              string             `json:"txid"`
	NodeTxID          *string            `json:"node_txid"`
	Version           uint8              `json:"version"`
	ChainID           uint32             `json:"chain_id"`
	AuthType          uint8              `json:"auth_type"`
	AnchorMode        uint8              `json:"anchor_mode"`
	PostConditionMode uint8              `json:"post_condition_mode"`
	Sender            string             `json:"sender"`
	Nonce             string             `json:"nonce"`
	Fee               string             `json:"fee"`
	Sponsored         bool               `json:"sponsored"`
	SponsorAddress    *string            `json:"sponsor_address"`
	SponsorNonce      *string            `json:"sponsor_nonce"`
	Origin            conditionRow       `json:"origin"`
	Sponsor           *conditionRow      `json:"sponsor"`
	PostConditionsHex string             `json:"post_conditions_hex"`
	PostConditions    []postConditionRow `json:"post_conditions"`
	PayloadTypeID     uint8              `json:"payload_type_id"`
	PayloadType       string             `json:"payload_type"`
	Payload           json.RawMessage    `json:"payload"`
	Signing           struct {
		Initial        string   `json:"initial_sighash"`
		Origin         walkRow  `json:"origin"`
		SponsorInitial *string  `json:"sponsor_initial_sighash"`
		Sponsor        *walkRow `json:"sponsor"`
	} `json:"signing"`
}

func TestTransactionVectors(t *testing.T) {
	t.Parallel()
	vector.Each(t, "transactions.jsonl", func(t *testing.T, line json.RawMessage) {
		row := vector.Decode[transactionRow](t, line)
		raw := vector.Bytes(t, row.RawTx)
		tx := must.Get(transaction.Decode(raw))(t)
		equal(t, "size", len(raw), row.Size)
		equal(t, "encoded", hexOf(tx.Encode()), row.RawTx)
		equal(t, "txid", tx.TxID().String(), row.TxID)
		equal(t, "id", transaction.ID(raw).String(), row.TxID)
		if row.NodeTxID != nil {
			equal(t, "node txid", tx.TxID().String(), *row.NodeTxID)
		}
		checkEnvelope(t, &tx.Envelope, &row)
		envelope := must.Get(transaction.DecodeEnvelope(raw))(t)
		checkEnvelope(t, &envelope, &row)
		equal(t, "anchor mode", uint8(tx.AnchorMode), row.AnchorMode)
		equal(t, "post-conditions", hexOf(tx.PostConditions.Blob()), row.PostConditionsHex)
		checkPostConditions(t, tx.PostConditions, row.PostConditionMode, row.PostConditions)
		checkPayload(t, tx, &row)
		checkSigning(t, tx, &row)
		if err := tx.Validate(); err != nil {
			t.Errorf("Validate: %v", err)
		}
	})
}

func checkEnvelope(t *testing.T, e *transaction.Envelope, row *transactionRow) {
	t.Helper()
	equal(t, "version", uint8(e.Version), row.Version)
	equal(t, "chain id", e.ChainID, row.ChainID)
	equal(t, "auth type", uint8(e.AuthType()), row.AuthType)
	equal(t, "sender", e.Sender().String(), row.Sender)
	equal(t, "nonce", decimal(e.Nonce()), row.Nonce)
	equal(t, "fee", decimal(e.Fee()), row.Fee)
	equal(t, "sponsored", e.Sponsored(), row.Sponsored)
	address, ok := e.SponsorAddress()
	equal(t, "has sponsor address", ok, row.SponsorAddress != nil)
	nonce, ok := e.SponsorNonce()
	equal(t, "has sponsor nonce", ok, row.SponsorNonce != nil)
	if row.SponsorAddress != nil {
		equal(t, "sponsor address", address.String(), *row.SponsorAddress)
		equal(t, "sponsor nonce", decimal(nonce), *row.SponsorNonce)
		equal(t, "fee payer", e.FeePayer().String(), *row.SponsorAddress)
	} else {
		equal(t, "fee payer", e.FeePayer().String(), row.Sender)
	}
	checkCondition(t, "origin", &e.Origin, e.Mainnet(), &row.Origin)
	equal(t, "has sponsor", e.Sponsor != nil, row.Sponsor != nil)
	if row.Sponsor != nil {
		checkCondition(t, "sponsor", e.Sponsor, e.Mainnet(), row.Sponsor)
	}
	boot := row.Origin.Signer == "0x"+strings.Repeat("00", 20)
	equal(t, "boot", e.IsBoot(), boot)
	if boot {
		equal(t, "boot chain id", e.ChainID, 0)
	}
}

func checkCondition(t *testing.T, who string, c *transaction.SpendingCondition, mainnet bool, row *conditionRow) {
	t.Helper()
	equal(t, who+" hash mode", uint8(c.HashMode), row.HashMode)
	equal(t, who+" signer", c.Signer.String(), row.Signer)
	equal(t, who+" address", c.Address(mainnet).String(), row.Address)
	equal(t, who+" nonce", decimal(c.Nonce), row.Nonce)
	equal(t, who+" fee", decimal(c.Fee), row.Fee)
	if c.HashMode.Single() {
		equal(t, who+" key encoding", uint8(c.KeyEncoding), *row.Encoding)
		equal(t, who+" signature", c.Signature.String(), *row.Signature)
		return
	}
	equal(t, who+" signatures required", c.SignaturesRequired, *row.Required)
	if len(c.Fields) != len(row.Fields) {
		t.Fatalf("%s: got %d fields, want %d", who, len(c.Fields), len(row.Fields))
	}
	for i, f := range c.Fields {
		want := row.Fields[i]
		equal(t, who+" field kind", uint8(f.Kind), want.Kind)
		if f.Kind.Signature() {
			equal(t, who+" field signature", f.Signature.String(), *want.Signature)
		} else {
			equal(t, who+" field key", hexOf(f.PublicKey[:]), *want.PublicKey)
		}
	}
}

func checkPostConditions(t *testing.T, p transaction.PostConditions, mode uint8, rows []postConditionRow) {
	t.Helper()
	equal(t, "post-condition mode", uint8(p.Mode()), mode)
	equal(t, "post-condition count", p.Len(), len(rows))
	list := p.List()
	if len(list) != len(rows) {
		t.Fatalf("got %d post-conditions, want %d", len(list), len(rows))
	}
	for i, c := range list {
		want := rows[i]
		equal(t, "condition type", uint8(c.Type), want.AssetInfoID)
		equal(t, "condition principal kind", uint8(c.PrincipalKind), want.PrincipalTypeID)
		if c.PrincipalKind != transaction.PrincipalOrigin {
			equal(t, "condition principal", c.Principal.String(), *want.Principal)
		}
		equal(t, "condition names an asset", c.Type.HasAsset(), want.AssetIdentifier != nil)
		if want.AssetIdentifier != nil {
			equal(t, "condition asset", c.Asset.String(), *want.AssetIdentifier)
		}
		equal(t, "condition has a value", !c.AssetValue.IsZero(), want.AssetValue != nil)
		if want.AssetValue != nil {
			equal(t, "condition value", c.AssetValue.Hex(), want.AssetValue.Hex)
			equal(t, "condition value repr", c.AssetValue.Repr(), want.AssetValue.Repr)
		}
		equal(t, "condition code", uint8(c.Code), want.Code)
		equal(t, "condition name", c.Code.String(), want.Name)
		equal(t, "condition code allowed", c.Type.Allows(c.Code), true)
		equal(t, "condition has an amount", c.Type.HasAmount(), want.Amount != nil)
		if want.Amount != nil {
			equal(t, "condition amount", decimal(c.Amount), *want.Amount)
		}
	}
	again, err := transaction.NewPostConditions(p.Mode(), list...)
	if err != nil {
		t.Fatalf("NewPostConditions: %v", err)
	}
	equal(t, "rebuilt post-conditions", hexOf(again.Blob()), hexOf(p.Blob()))
}

func checkPayload(t *testing.T, tx *transaction.Transaction, row *transactionRow) {
	t.Helper()
	equal(t, "payload id", uint8(tx.Payload.ID()), row.PayloadTypeID)
	equal(t, "payload name", transaction.Name(tx.Payload), row.PayloadType)
	type argument struct {
		Hex  string `json:"hex"`
		Repr string `json:"repr"`
		Type string `json:"type"`
	}
	want := vector.Decode[struct {
		Recipient       *string    `json:"recipient"`
		RecipientTypeID uint8      `json:"recipient_type_id"`
		Amount          string     `json:"amount"`
		Memo            string     `json:"memo_hex"`
		ContractName    string     `json:"contract_name"`
		ClarityVersion  *uint8     `json:"clarity_version"`
		CodeLength      int        `json:"code_length"`
		CodeSHA256      string     `json:"code_sha256"`
		ContractID      string     `json:"contract_id"`
		Function        string     `json:"function_name"`
		ArgsHex         string     `json:"function_args_hex"`
		Args            []argument `json:"function_args"`
		Data            string     `json:"payload_hex"`
		VRFProof        string     `json:"vrf_proof"`
		Headers         []struct {
			Hex          string `json:"hex"`
			Version      uint8  `json:"version"`
			Sequence     uint16 `json:"sequence"`
			PrevBlock    string `json:"prev_block"`
			TxMerkleRoot string `json:"tx_merkle_root"`
			Signature    string `json:"signature"`
		} `json:"headers"`
		ConsensusHash     string `json:"tenure_consensus_hash"`
		PrevConsensusHash string `json:"prev_tenure_consensus_hash"`
		BurnView          string `json:"burn_view_consensus_hash"`
		PreviousEnd       string `json:"previous_tenure_end"`
		PreviousBlocks    uint32 `json:"previous_tenure_blocks"`
		Cause             uint8  `json:"cause"`
		CauseName         string `json:"cause_name"`
		PubkeyHash        string `json:"pubkey_hash"`
	}](t, row.Payload)

	checkCode := func(p *transaction.SmartContract) {
		t.Helper()
		sum := sha256.Sum256(p.Code)
		equal(t, "contract name", p.ContractName, want.ContractName)
		equal(t, "code length", len(p.Code), want.CodeLength)
		equal(t, "code hash", hexOf(sum[:]), want.CodeSHA256)
		deployed, ok := tx.Deploys()
		equal(t, "deploys", ok, true)
		equal(t, "deployed contract", deployed.String(), row.Sender+"."+want.ContractName)
	}
	switch p := tx.Payload.(type) {
	case *transaction.TokenTransfer:
		equal(t, "recipient", p.Recipient.String(), *want.Recipient)
		equal(t, "recipient is a contract", p.Recipient.IsContract(), want.RecipientTypeID == 6)
		equal(t, "amount", decimal(p.Amount), want.Amount)
		equal(t, "memo", hexOf(p.Memo[:]), want.Memo)
	case *transaction.SmartContract:
		equal(t, "has a Clarity version", false, want.ClarityVersion != nil)
		checkCode(p)
	case *transaction.VersionedSmartContract:
		equal(t, "Clarity version", p.ClarityVersion, *want.ClarityVersion)
		checkCode(&p.SmartContract)
	case *transaction.ContractCall:
		equal(t, "contract", p.Contract.String(), want.ContractID)
		equal(t, "function", p.Function, want.Function)
		equal(t, "argument blob", hexOf(p.Arguments.Blob()), want.ArgsHex)
		equal(t, "argument count", p.Arguments.Len(), len(want.Args))
		for i, arg := range p.Arguments.List() {
			equal(t, "argument hex", arg.Hex(), want.Args[i].Hex)
			equal(t, "argument repr", arg.Repr(), want.Args[i].Repr)
			equal(t, "argument type", arg.TypeText(), want.Args[i].Type)
		}
	case *transaction.PoisonMicroblock:
		equal(t, "headers", len(p.Headers), len(want.Headers))
		for i, h := range p.Headers {
			w := want.Headers[i]
			equal(t, "header", hexOf(h.Append(nil)), w.Hex)
			equal(t, "header version", h.Version, w.Version)
			equal(t, "header sequence", h.Sequence, w.Sequence)
			equal(t, "header parent", h.PrevBlock.String(), w.PrevBlock)
			equal(t, "header merkle root", h.TxMerkleRoot.String(), w.TxMerkleRoot)
			equal(t, "header signature", h.Signature.String(), w.Signature)
		}
		first := must.Get(p.Headers[0].SignerHash())(t)
		second := must.Get(p.Headers[1].SignerHash())(t)
		equal(t, "signers of both headers", first, second)
	case *transaction.Coinbase:
		equal(t, "data", hexOf(p.Data[:]), want.Data)
	case *transaction.CoinbaseToAltRecipient:
		equal(t, "data", hexOf(p.Data[:]), want.Data)
		equal(t, "recipient", p.Recipient.String(), *want.Recipient)
	case *transaction.NakamotoCoinbase:
		equal(t, "data", hexOf(p.Data[:]), want.Data)
		equal(t, "has a recipient", p.Recipient != nil, want.Recipient != nil)
		if want.Recipient != nil {
			equal(t, "recipient", p.Recipient.String(), *want.Recipient)
		}
		equal(t, "VRF proof", strings.TrimPrefix(hexOf(p.VRFProof[:]), "0x"), strings.TrimPrefix(want.VRFProof, "0x"))
	case *transaction.TenureChange:
		equal(t, "consensus hash", p.ConsensusHash.String(), want.ConsensusHash)
		equal(t, "previous consensus hash", p.PrevConsensusHash.String(), want.PrevConsensusHash)
		equal(t, "burn view", p.BurnViewConsensusHash.String(), want.BurnView)
		equal(t, "previous end", p.PreviousEnd.String(), want.PreviousEnd)
		equal(t, "previous blocks", p.PreviousBlocks, want.PreviousBlocks)
		equal(t, "cause", uint8(p.Cause), want.Cause)
		equal(t, "cause name", p.Cause.String(), want.CauseName)
		equal(t, "public key hash", p.PubkeyHash.String(), want.PubkeyHash)
	default:
		t.Errorf("payload of type %T", p)
	}
}

func checkSigning(t *testing.T, tx *transaction.Transaction, row *transactionRow) {
	t.Helper()
	equal(t, "initial sighash", tx.InitialSighash().String(), row.Signing.Initial)
	walk, _ := tx.OriginWalk() // on an error the walk still has the presigns to compare
	checkWalk(t, "origin", walk, &row.Signing.Origin)
	equal(t, fmt.Sprintf("origin valid (%v)", tx.VerifyOrigin()), tx.VerifyOrigin() == nil, row.Signing.Origin.Valid)
	if row.Signing.Sponsor == nil {
		equal(t, "valid", tx.Verify() == nil, row.Signing.Origin.Valid)
		return
	}
	walk, _ = tx.SponsorWalk()
	equal(t, "sponsor start", walk.Start.String(), *row.Signing.SponsorInitial)
	equal(t, "sponsor sighash", tx.SponsorSighash().String(), *row.Signing.SponsorInitial)
	checkWalk(t, "sponsor", walk, row.Signing.Sponsor)
	equal(t, fmt.Sprintf("valid (%v)", tx.Verify()), tx.Verify() == nil, row.Signing.Origin.Valid && row.Signing.Sponsor.Valid)
}

func checkWalk(t *testing.T, who string, w transaction.Walk, row *walkRow) {
	t.Helper()
	var presigns, keys []string
	for _, h := range w.Presigns {
		presigns = append(presigns, h.String())
	}
	for _, k := range w.PublicKeys {
		keys = append(keys, k.String())
	}
	equal(t, who+" presigns", strings.Join(presigns, " "), strings.Join(row.Presign, " "))
	equal(t, who+" keys", strings.Join(keys, " "), strings.Join(row.Pubkeys, " "))
}

func TestPostConditionVectors(t *testing.T) {
	t.Parallel()
	vector.Each(t, "post_conditions.jsonl", func(t *testing.T, line json.RawMessage) {
		row := vector.Decode[struct {
			Hex  string             `json:"hex"`
			Mode uint8              `json:"post_condition_mode"`
			List []postConditionRow `json:"post_conditions"`
		}](t, line)
		p := must.Get(transaction.DecodePostConditions(vector.Bytes(t, row.Hex)))(t)
		equal(t, "blob", hexOf(p.Blob()), row.Hex)
		checkPostConditions(t, p, row.Mode, row.List)
	})
}

func TestMultisigVectors(t *testing.T) {
	t.Parallel()
	vector.Each(t, "multisig_addresses.jsonl", func(t *testing.T, line json.RawMessage) {
		row := vector.Decode[struct {
			Modes    []int    `json:"hash_modes"`
			Required int      `json:"signatures_required"`
			Keys     []string `json:"public_keys"`
			Hash160  string   `json:"hash160"`
			Mainnet  string   `json:"address_mainnet"`
			Testnet  string   `json:"address_testnet"`
		}](t, line)
		var holders []key.Public
		for _, s := range row.Keys {
			holder := must.Get(key.ParsePublicHex(s))(t)
			holders = append(holders, holder)
		}
		for _, mode := range row.Modes {
			m := must.Get(transaction.NewMultisig(transaction.HashMode(mode), row.Required, holders...))(t)
			equal(t, "hash160", m.SignerHash().String(), row.Hash160)
			equal(t, "mainnet address", m.Address(true).String(), row.Mainnet)
			equal(t, "testnet address", m.Address(false).String(), row.Testnet)
		}
	})
}

func TestSegwitKeyVectors(t *testing.T) {
	t.Parallel()
	vector.Each(t, "keys.jsonl", func(t *testing.T, line json.RawMessage) {
		row := vector.Decode[struct {
			PrivateKey string  `json:"private_key"`
			Hash160    *string `json:"p2wpkh_hash160"`
			Mainnet    string  `json:"p2wpkh_address_mainnet"`
			Testnet    string  `json:"p2wpkh_address_testnet"`
		}](t, line)
		k := must.Get(key.ParsePrivate(row.PrivateKey))(t)
		signer, err := transaction.SignerHash(transaction.P2WPKHP2SH, 1, k.Public())
		equal(t, "compressed only", err == nil, row.Hash160 != nil)
		if row.Hash160 == nil {
			return
		}
		c := transaction.SpendingCondition{HashMode: transaction.P2WPKHP2SH, Signer: signer}
		equal(t, "hash160", signer.String(), *row.Hash160)
		equal(t, "mainnet address", c.Address(true).String(), row.Mainnet)
		equal(t, "testnet address", c.Address(false).String(), row.Testnet)
	})
}

func equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func decimal(n uint64) string { return strconv.FormatUint(n, 10) }

func hexOf(b []byte) string { return "0x" + hex.EncodeToString(b) }
