package view

import (
	"github.com/danielgtaylor/huma/v2"

	"strata/domain/hash"
	"strata/domain/transaction"
	"strata/readapi/internal/schema"
)

// SummaryBase holds the fields of a mined transaction in version 3 of the API, both in lists and alone.
type SummaryBase struct {
	TxID         hash.Hash32   `json:"tx_id"`
	Sender       signer        `json:"sender"`
	Sponsor      *signer       `json:"sponsor" doc:"Who paid the fee; null when that was the sender."`
	FeeRate      schema.Amount `json:"fee_rate" doc:"The total fee in µSTX, despite its name."`
	Block        summaryBlock  `json:"block"`
	BitcoinBlock bitcoinPlace  `json:"bitcoin_block"`
	EventCount   int32         `json:"event_count" doc:"0 for a transaction that did not succeed."`
	Status       string        `json:"status" enum:"success,abort_by_response,abort_by_post_condition,problematic_skipped"`
	Type         string        `json:"type" enum:"token_transfer,smart_contract,contract_call,poison_microblock,coinbase,tenure_change,undecoded" doc:"Names the member with the details. poison_microblock has none, nor has undecoded: a transaction that this program cannot decode, or an operation from Bitcoin about which nothing is known."`

	TokenTransfer *transferSummary `json:"token_transfer,omitempty"`
}

// signer is an account and the nonce that it used for the transaction.
type signer struct {
	Address string `json:"address"`
	Nonce   uint64 `json:"nonce"`
}

type transferSummary struct {
	Recipient string        `json:"recipient"`
	Amount    schema.Amount `json:"amount" doc:"µSTX"`
	Memo      *MemoText     `json:"memo"`
}

// TransformSchema implements huma.SchemaTransformer.
func (*transferSummary) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return OrNull(s, "memo")
}

// TransactionSummary is a mined transaction in lists of version 3 of the API.
type TransactionSummary struct {
	SummaryBase
	SummaryPayload
}

// SummaryPayload is what a transaction does, in brief.
type SummaryPayload struct {
	SmartContract *deploySummary   `json:"smart_contract,omitempty"`
	ContractCall  *callSummary     `json:"contract_call,omitempty"`
	Coinbase      *coinbaseSummary `json:"coinbase,omitempty"`
	TenureChange  *tenureSummary   `json:"tenure_change,omitempty"`
}

// TransformSchema implements huma.SchemaTransformer.
func (*TransactionSummary) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return OrNull(s, "sponsor")
}

type deploySummary struct {
	ClarityVersion *uint8 `json:"clarity_version" doc:"null when the transaction leaves it to the epoch."`
	ContractID     string `json:"contract_id"`
}

type callSummary struct {
	ContractID   string `json:"contract_id"`
	FunctionName string `json:"function_name"`
}

type coinbaseSummary struct {
	AltRecipient *string `json:"alt_recipient" doc:"Who gets the reward instead of the miner; null for the miner."`
}

type tenureSummary struct {
	Cause string `json:"cause" enum:"block_found,extended,extended_runtime,extended_read_count,extended_read_length,extended_write_count,extended_write_length,unknown"`
}

// Summarize returns the list entry for a transaction that went through Complete.
func Summarize(r *TransactionRow) TransactionSummary {
	return TransactionSummary{SummaryBase: newSummaryBase(r), SummaryPayload: SummarizePayload(r.Tx)}
}

// SummarizePayload returns what a transaction does, in brief.
func SummarizePayload(tx *transaction.Transaction) (b SummaryPayload) {
	payload := renderPayload(tx, nil, true)
	if p := payload.SmartContract; p != nil {
		b.SmartContract = &deploySummary{p.ClarityVersion, p.ContractID}
	}
	if p := payload.ContractCall; p != nil {
		b.ContractCall = &callSummary{p.ContractID, p.FunctionName}
	}
	if p := payload.CoinbasePayload; p != nil {
		b.Coinbase = &coinbaseSummary{p.AltRecipient}
	}
	if p := payload.TenureChangePayload; p != nil {
		b.TenureChange = &tenureSummary{p.Cause}
	}
	return b
}

func newSummaryBase(r *TransactionRow) SummaryBase {
	b := SummaryBase{
		TxID: r.ID, Sender: signer{r.from(), r.Tx.Nonce()}, FeeRate: unsignedAmount(r.Tx.Fee()),
		Block:        newSummaryBlock(r.Height, r.Block, r.IndexHash, r.time(), r.Index),
		BitcoinBlock: newBitcoinPlace(r.BurnBlockHeight, r.BurnBlockTime), EventCount: r.EventCount,
		Status: r.Status, Type: transaction.TxType(r.Tx.Payload),
	}
	b.Sponsor, b.TokenTransfer = sponsorOf(r.Tx), transferOf(r.Tx)
	return b
}

// sponsorOf returns the sponsor, who pays for the transaction; nil when the sender pays.
func sponsorOf(tx *transaction.Transaction) *signer {
	sponsor, ok := tx.SponsorAddress()
	if !ok {
		return nil
	}
	nonce, _ := tx.SponsorNonce()
	return &signer{sponsor.String(), nonce}
}

// transferOf returns what a transfer of STX does; nil for other transactions.
func transferOf(tx *transaction.Transaction) *transferSummary {
	p, ok := tx.Payload.(*transaction.TokenTransfer)
	if !ok {
		return nil
	}
	return &transferSummary{p.Recipient.String(), unsignedAmount(p.Amount), ShowMemo(p.Memo[:])}
}
