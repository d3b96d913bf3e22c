package rosetta

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"maps"
	"math/big"
	"net/http"
	"strconv"
	"strings"

	"strata/domain/transaction"
	"strata/readapi/internal/engine"
	"strata/readapi/rosetta/internal/construction"
	"strata/readapi/rosetta/internal/fault"
	"strata/readapi/rosetta/internal/ledger"
	"strata/readapi/rosetta/internal/wire"
)

func (c *call) builder() *construction.Builder {
	return &construction.Builder{Network: c.config.network(), Bitcoin: c.Bitcoin}
}

func (c *call) derive(_ context.Context, in *wire.DeriveRequest) (*wire.DeriveAnswer, error) {
	address, err := c.builder().Derive(in.PublicKey, in.Metadata)
	if err != nil {
		return nil, err
	}
	return &wire.DeriveAnswer{AccountIdentifier: wire.AccountIdentifier{Address: address}}, nil
}

func (c *call) preprocess(_ context.Context, in *wire.PreprocessRequest) (*wire.PreprocessAnswer, error) {
	b := c.builder()
	options, err := b.Intent(in.Operations)
	if err != nil {
		return nil, err
	}
	if len(in.MaxFee) > 0 {
		if in.MaxFee[0].Currency.Symbol != wire.STX().Symbol || in.MaxFee[0].Currency.Decimals != wire.STX().Decimals {
			return nil, fault.New(fault.InvalidFee)
		}
		options["max_fee"] = in.MaxFee[0].Value
	}
	if in.SuggestedFeeMultiplier != nil {
		options["suggested_fee_multiplier"] = *in.SuggestedFeeMultiplier
	}
	for _, name := range []string{"gas_limit", "gas_price", "memo"} {
		if v := in.Metadata[name]; v != nil {
			options[name] = v
		}
	}
	size, err := b.Size(options)
	if err != nil {
		return nil, err
	}
	options["size"] = size
	answer := &wire.PreprocessAnswer{Options: options}
	for _, name := range []string{"sender_address", "sponsor_address"} {
		if address, ok := options[name].(string); ok && address != "" {
			answer.RequiredPublicKeys = append(answer.RequiredPublicKeys, wire.AccountIdentifier{Address: address})
		}
	}
	if answer.RequiredPublicKeys == nil {
		return nil, fault.New(fault.InvalidOperation)
	}
	return answer, nil
}

// checkOptions checks the options of /construction/metadata, in the order of the legacy dialect.
func checkOptions(o construction.Options) error {
	sender, _ := o["sender_address"].(string)
	kind, _ := o["type"].(string)
	text := func(name string) string { s, _ := o[name].(string); return s }
	switch {
	case sender != "" && !construction.IsStandard(sender):
		return fault.New(fault.InvalidSender)
	case o["symbol"] != nil && o["symbol"] != wire.STX().Symbol:
		return fault.New(fault.InvalidSymbol)
	}
	switch kind {
	case "token_transfer":
		if d, ok := o["decimals"].(json.Number); o["decimals"] != nil && (!ok || d.String() != strconv.Itoa(int(wire.STX().Decimals))) {
			return fault.New(fault.InvalidDecimals)
		}
		if recipient := text("token_transfer_recipient_address"); checkAccount(wire.AccountIdentifier{Address: recipient}) != nil {
			return fault.New(fault.InvalidRecipient)
		}
	case "stack_stx":
		if o["number_of_cycles"] == nil || text("pox_addr") == "" {
			return fault.New(fault.InvalidOperation)
		}
	case "delegate_stx", "contract_call", "contract_deploy":
	default:
		return fault.New(fault.InvalidTransactionType)
	}
	if sender == "" {
		return fault.New(fault.MissingSender)
	}
	return nil
}

func (c *call) metadata(ctx context.Context, in *wire.MetadataRequest) (*wire.MetadataAnswer, error) {
	o := construction.Options(in.Options)
	if o["token_transfer_recipient_address"] == nil && o["recipient_address"] != nil {
		o["token_transfer_recipient_address"] = o["recipient_address"]
	}
	if err := checkOptions(o); err != nil {
		return nil, err
	}
	if c.Legacy && o["fee"] == nil && o["size"] == nil {
		return nil, fault.New(fault.MissingSize)
	}
	given := maps.Clone(o)
	if o["type"] == "stack_stx" || o["type"] == "delegate_stx" {
		if err := c.poxOptions(ctx, o); err != nil {
			return nil, err
		}
	}
	sender, _ := o["sender_address"].(string)
	info, tip, err := c.accountInfo(ctx, sender)
	if err != nil {
		return nil, err
	}
	metadata := maps.Clone(map[string]any(o))
	metadata["account_sequence"], metadata["recent_block_hash"], metadata["options"], metadata["sender_account_info"] = info["nonce"], tip, given, info
	if sponsor, _ := o["sponsor_address"].(string); sponsor != "" {
		info, _, err := c.accountInfo(ctx, sponsor)
		if err != nil {
			return nil, err
		}
		metadata["sponsor_sequence"], metadata["sponsor_account_info"] = info["nonce"], info
	}
	fee, err := c.suggestedFee(ctx, o)
	if err != nil {
		return nil, err
	}
	return &wire.MetadataAnswer{Metadata: metadata, SuggestedFee: []wire.Amount{ledger.STXAmount(fee)}}, nil
}

// accountInfo returns the next nonce and the balance of an account: the larger of the nonces that the tables and a node
// tell, because a node also counts what waits in its mempool less than a client may have sent.
func (c *call) accountInfo(ctx context.Context, address string) (info map[string]any, tip string, err error) {
	var account *ledger.Account
	err = c.read(ctx, func(ctx context.Context, s *engine.Snapshot) error {
		frame, _, err := ledger.ReadFrame(ctx, s, ledger.Ref{})
		if err != nil {
			return err
		}
		tip = c.BlockHash(frame.Tip)
		account, err = ledger.ReadAccount(ctx, s, address, frame.Tip.Index, ledger.Tokens{})
		return err
	})
	if err != nil {
		return nil, "", err
	}
	nonce, balance := account.NextNonce, account.Unlocked
	var node struct {
		Nonce uint64 `json:"nonce"`
	}
	if c.config.NodeRPC != nil && c.nodeJSON(ctx, "/v2/accounts/"+address+"?proof=0", &node) == nil {
		if known, err := strconv.ParseUint(nonce, 10, 64); err != nil || node.Nonce > known {
			nonce = strconv.FormatUint(node.Nonce, 10)
		}
	}
	return map[string]any{"nonce": json.Number(nonce), "balance": balance}, tip, nil
}

// poxOptions adds what a stacking call needs to know of the chain, and the signature of a signer whose key is given.
func (c *call) poxOptions(ctx context.Context, o construction.Options) error {
	var info struct {
		Contract   string `json:"contract_id"`
		BurnHeight int64  `json:"current_burnchain_block_height"`
		Cycle      int64  `json:"reward_cycle_id"`
	}
	if err := c.nodeJSON(ctx, "/v2/pox", &info); err != nil {
		return err
	}
	if o["contract_name"] == nil || o["contract_address"] == nil {
		address, name, _ := strings.Cut(info.Contract, ".")
		o["contract_address"], o["contract_name"] = address, name
	}
	if o["type"] == "delegate_stx" {
		return nil
	}
	if o["burn_block_height"] == nil {
		o["burn_block_height"] = info.BurnHeight
	}
	if o["reward_cycle_id"] == nil {
		o["reward_cycle_id"] = info.Cycle
	}
	if o["contract_name"] != "pox-4" {
		return nil
	}
	if o["signer_key"] == nil {
		return fault.New(fault.InvalidOperation)
	}
	if o["pox_auth_id"] == nil {
		o["pox_auth_id"] = construction.NewAuthID()
	}
	if o["pox_max_amount"] == nil {
		o["pox_max_amount"] = o["amount"]
	}
	err := c.builder().SignForSigner(o)
	delete(o, "signer_private_key")
	return err
}

// feeEstimate is a node's estimate of a fee.
type feeEstimate struct {
	Estimations []struct {
		Fee uint64 `json:"fee"`
	} `json:"estimations"`
}

// suggestedFee returns a fee in µSTX. The mesh dialect takes one for each byte, the legacy one the middle estimate of a
// node. A multiplier and a maximum of the options apply to both.
func (c *call) suggestedFee(ctx context.Context, o construction.Options) (string, error) {
	tx, err := c.builder().Draft(o)
	if err != nil {
		return "", err
	}
	fee := new(big.Float).SetInt64(int64(len(tx.Encode())))
	if c.Legacy {
		if estimate, ok := c.estimate(ctx, tx); ok {
			fee.SetUint64(estimate)
		}
	}
	if multiplier, ok := new(big.Float).SetString(textOf(o["suggested_fee_multiplier"])); ok && multiplier.Sign() > 0 {
		fee.Mul(fee, multiplier)
	}
	whole, _ := fee.Int(nil)
	if most, ok := new(big.Int).SetString(textOf(o["max_fee"]), 10); ok && most.Sign() >= 0 && whole.Cmp(most) > 0 {
		whole = most
	}
	if whole.Sign() == 0 {
		return "", fault.New(fault.InvalidFee)
	}
	return whole.String(), nil
}

// estimate asks a node for the fee of a transaction; ok is false without an estimate.
func (c *call) estimate(ctx context.Context, tx *transaction.Transaction) (fee uint64, ok bool) {
	raw := tx.Encode()
	request, err := json.Marshal(map[string]any{"transaction_payload": hex.EncodeToString(payloadBytes(tx, raw)), "estimated_len": len(raw)})
	if err != nil {
		return 0, false
	}
	status, answer, err := c.node(ctx, http.MethodPost, "/v2/fees/transaction", "application/json", request)
	var estimate feeEstimate
	if err != nil || status != http.StatusOK || json.Unmarshal(answer, &estimate) != nil || len(estimate.Estimations) == 0 {
		return 0, false
	}
	middle := estimate.Estimations[len(estimate.Estimations)/2].Fee
	return middle, middle > 0
}

// payloadBytes returns the payload at the end of an encoded transaction.
func payloadBytes(tx *transaction.Transaction, raw []byte) []byte {
	const anchorMode = 1
	envelope := transaction.Envelope{Version: tx.Version, ChainID: tx.ChainID, Origin: tx.Origin, Sponsor: tx.Sponsor}
	bare := transaction.Transaction{Envelope: envelope, AnchorMode: tx.AnchorMode, PostConditions: tx.PostConditions, Payload: &transaction.Coinbase{}}
	return raw[len(bare.Encode())-(anchorMode+32):]
}

func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

func (c *call) payloads(_ context.Context, in *wire.PayloadsRequest) (*wire.PayloadsAnswer, error) {
	return c.builder().Payloads(in.Operations, in.PublicKeys, in.Metadata)
}

func (c *call) parse(_ context.Context, in *wire.ParseRequest) (*wire.ParseAnswer, error) {
	parsed, err := c.builder().Parse(in.Transaction, in.Signed)
	if err != nil {
		return nil, err
	}
	answer := &wire.ParseAnswer{Operations: c.Operations("", parsed.Operations)}
	for _, signer := range parsed.Signers {
		answer.AccountIdentifierSigners = append(answer.AccountIdentifierSigners, wire.AccountIdentifier{Address: signer})
	}
	if parsed.Memo != nil {
		answer.Metadata = map[string]any{"memo": *parsed.Memo}
	}
	return answer, nil
}

func (c *call) combine(_ context.Context, in *wire.CombineRequest) (*wire.CombineAnswer, error) {
	signed, err := c.builder().Combine(in.UnsignedTransaction, in.Signatures)
	if err != nil {
		return nil, err
	}
	return &wire.CombineAnswer{SignedTransaction: signed}, nil
}

func (c *call) hash(_ context.Context, in *wire.SignedRequest) (*wire.IdentifierAnswer, error) {
	id, _, err := c.builder().Hash(in.SignedTransaction)
	if err != nil {
		return nil, err
	}
	return &wire.IdentifierAnswer{TransactionIdentifier: wire.TransactionIdentifier{Hash: id.String()}}, nil
}

func (c *call) submit(ctx context.Context, in *wire.SignedRequest) (*wire.IdentifierAnswer, error) {
	id, raw, err := c.builder().Hash(in.SignedTransaction)
	if err != nil {
		if failed, ok := err.(*fault.Error); ok && c.Legacy && failed.Fault == fault.NotSigned { //nolint:errorlint // Hash returns it unwrapped
			return nil, fault.New(fault.InvalidTransactionText)
		}
		return nil, err
	}
	status, answer, err := c.node(ctx, http.MethodPost, "/v2/transactions", "application/octet-stream", raw)
	switch {
	case err != nil:
		return nil, err
	case status == http.StatusOK:
		return &wire.IdentifierAnswer{TransactionIdentifier: wire.TransactionIdentifier{Hash: id.String()}}, nil
	case status >= http.StatusInternalServerError || status == http.StatusTooManyRequests:
		return nil, fault.Newf(fault.NodeUnavailable, "%s", answer)
	case c.Legacy:
		return nil, fault.Newf(fault.InvalidTransactionText, "%s", answer)
	}
	return nil, fault.Newf(fault.BroadcastFailed, "%s", answer)
}
