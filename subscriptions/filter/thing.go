package filter

import (
	"fmt"
	"iter"
	"math/big"
	"strconv"
	"strings"

	"strata/domain/clarity"
	"strata/domain/nodeevent"
	"strata/domain/transaction"
	"strata/projections"
)

// Thing is what a filter matches, or does not: a block, a transaction, or what a transaction did.
type Thing struct {
	Block *projections.Block
	// Tx is the index of the transaction in Block.Transactions; -1 for the block itself.
	Tx int
	// Event is nil for the block and for transactions. Number counts the events of its transaction that count, from 0.
	Event  *nodeevent.Event
	Number int

	kinds []string
	value *clarity.Value // once it was decoded
	repr  string         // of value, once somebody asked for it
}

// Kind returns the most specific of its kinds: call rather than transaction.
func (t *Thing) Kind() string { return t.kinds[len(t.kinds)-1] }

// Things are those of a block: the block, and each transaction in the order of execution with its events that count.
func Things(b *projections.Block) iter.Seq[*Thing] {
	return func(yield func(*Thing) bool) {
		if !yield(&Thing{Block: b, Tx: -1, kinds: []string{"block"}}) {
			return
		}
		events := b.EffectiveEvents()
		for _, tx := range b.ExecutionOrder() {
			i := tx.Index
			if !yield(&Thing{Block: b, Tx: i, kinds: kindsOfTx(b.Decoded[i])}) {
				return
			}
			for n, e := range events[i] {
				if kind, ok := kindOfEvent[e.Type]; ok && !yield(&Thing{Block: b, Tx: i, Event: e, Number: n, kinds: []string{kind}}) {
					return
				}
			}
		}
	}
}

// kindOfEvent maps types of events to kinds.
var kindOfEvent = map[string]string{
	nodeevent.TypeSTXTransfer: "stx_transfer", nodeevent.TypeSTXMint: "stx_mint", nodeevent.TypeSTXBurn: "stx_burn", nodeevent.TypeSTXLock: "stx_lock",
	nodeevent.TypeFTTransfer: "ft_transfer", nodeevent.TypeFTMint: "ft_mint", nodeevent.TypeFTBurn: "ft_burn",
	nodeevent.TypeNFTTransfer: "nft_transfer", nodeevent.TypeNFTMint: "nft_mint", nodeevent.TypeNFTBurn: "nft_burn",
	nodeevent.TypeContract: "print",
}

func kindsOfTx(tx *transaction.Transaction) []string {
	if tx != nil {
		switch tx.Payload.(type) {
		case *transaction.ContractCall:
			return []string{"transaction", "call"}
		case *transaction.SmartContract, *transaction.VersionedSmartContract:
			return []string{"transaction", "deployment"}
		case *transaction.Coinbase, *transaction.CoinbaseToAltRecipient, *transaction.NakamotoCoinbase:
			return []string{"transaction", "coinbase"}
		case *transaction.TenureChange:
			return []string{"transaction", "tenure_change"}
		}
	}
	return []string{"transaction"}
}

// Transaction returns the transaction as the node reported it; nil for a block.
func (t *Thing) Transaction() *nodeevent.Transaction {
	if t.Tx < 0 {
		return nil
	}
	return &t.Block.Transactions[t.Tx]
}

// Decoded returns the transaction that was signed; nil for a block, and for an operation that came from Bitcoin.
func (t *Thing) Decoded() *transaction.Transaction {
	if t.Tx < 0 {
		return nil
	}
	return t.Block.Decoded[t.Tx]
}

// Contract returns the contract that the thing is about: called, deployed, that printed, or that defines the asset; empty for none.
func (t *Thing) Contract() string {
	if t.Event == nil {
		if tx := t.Decoded(); tx != nil {
			switch p := tx.Payload.(type) {
			case *transaction.ContractCall:
				return p.Contract.String()
			case *transaction.SmartContract:
				return tx.Sender().String() + "." + p.ContractName
			case *transaction.VersionedSmartContract:
				return tx.Sender().String() + "." + p.ContractName
			}
		}
		return ""
	}
	switch d := t.Event.Data.(type) {
	case *nodeevent.ContractEvent:
		return d.Contract
	case *nodeevent.STXLock:
		return d.Contract
	}
	contract, _, _ := strings.Cut(t.Asset(), "::")
	return contract
}

// Asset returns the identifier of the token that an event moves, as ADDRESS.contract::name; empty for none.
func (t *Thing) Asset() string {
	if t.Event == nil {
		return ""
	}
	switch d := t.Event.Data.(type) {
	case *nodeevent.FTTransfer:
		return d.Asset
	case *nodeevent.FTMint:
		return d.Asset
	case *nodeevent.FTBurn:
		return d.Asset
	case *nodeevent.NFTTransfer:
		return d.Asset
	case *nodeevent.NFTMint:
		return d.Asset
	case *nodeevent.NFTBurn:
		return d.Asset
	}
	return ""
}

// Sender returns who sends: of an event, whose tokens leave, or are locked; of a transaction, who signed it first. Empty for nobody.
func (t *Thing) Sender() string {
	if t.Event == nil {
		return t.TxSender()
	}
	switch d := t.Event.Data.(type) {
	case *nodeevent.STXTransfer:
		return d.Sender
	case *nodeevent.STXBurn:
		return d.Sender
	case *nodeevent.STXLock:
		return d.Address
	case *nodeevent.FTTransfer:
		return d.Sender
	case *nodeevent.FTBurn:
		return d.Sender
	case *nodeevent.NFTTransfer:
		return d.Sender
	case *nodeevent.NFTBurn:
		return d.Sender
	}
	return ""
}

// TxSender returns who signed the transaction first; empty for a block, and for an operation that came from Bitcoin.
func (t *Thing) TxSender() string {
	if tx := t.Decoded(); tx != nil {
		return tx.Sender().String()
	}
	return ""
}

// Sponsor returns who pays the fee of a transaction in place of the sender; empty for nobody.
func (t *Thing) Sponsor() string {
	if tx := t.Decoded(); tx != nil && tx.Sponsored() && t.Event == nil {
		address, _ := tx.SponsorAddress()
		return address.String()
	}
	return ""
}

// Recipient returns who gets what an event moves; empty for nobody.
func (t *Thing) Recipient() string {
	if t.Event == nil {
		return ""
	}
	switch d := t.Event.Data.(type) {
	case *nodeevent.STXTransfer:
		return d.Recipient
	case *nodeevent.STXMint:
		return d.Recipient
	case *nodeevent.FTTransfer:
		return d.Recipient
	case *nodeevent.FTMint:
		return d.Recipient
	case *nodeevent.NFTTransfer:
		return d.Recipient
	case *nodeevent.NFTMint:
		return d.Recipient
	}
	return ""
}

// Amount returns what an event moves, in µSTX or base units of the token; nil for none.
func (t *Thing) Amount() *big.Int {
	if t.Event == nil {
		return nil
	}
	switch d := t.Event.Data.(type) {
	case *nodeevent.STXTransfer:
		return d.Amount
	case *nodeevent.STXMint:
		return d.Amount
	case *nodeevent.STXBurn:
		return d.Amount
	case *nodeevent.STXLock:
		return d.Amount
	case *nodeevent.FTTransfer:
		return d.Amount
	case *nodeevent.FTMint:
		return d.Amount
	case *nodeevent.FTBurn:
		return d.Amount
	}
	return nil
}

// Value returns what a contract printed, or which non-fungible token an event moves; the zero value for none, or for one that can't be
// read.
func (t *Thing) Value() clarity.Value {
	if t.value != nil {
		return *t.value
	}
	var raw []byte
	if t.Event != nil {
		switch d := t.Event.Data.(type) {
		case *nodeevent.ContractEvent:
			raw = d.RawValue
		case *nodeevent.NFTTransfer:
			raw = d.RawValue
		case *nodeevent.NFTMint:
			raw = d.RawValue
		case *nodeevent.NFTBurn:
			raw = d.RawValue
		}
	}
	t.value = &clarity.Value{}
	if v, err := clarity.DecodeAll(raw); err == nil {
		*t.value = v
	}
	return *t.value
}

// Function returns the function that a transaction calls; empty for none.
func (t *Thing) Function() string {
	if call := t.call(); call != nil {
		return call.Function
	}
	return ""
}

func (t *Thing) call() *transaction.ContractCall {
	if tx := t.Decoded(); tx != nil && t.Event == nil {
		call, _ := tx.Payload.(*transaction.ContractCall)
		return call
	}
	return nil
}

// Arguments returns those of a call.
func (t *Thing) Arguments() []clarity.Value {
	if call := t.call(); call != nil {
		return call.Arguments.List()
	}
	return nil
}

// Topic returns that of a print; empty for none.
func (t *Thing) Topic() string {
	if t.Event == nil {
		return ""
	}
	if d, ok := t.Event.Data.(*nodeevent.ContractEvent); ok {
		return d.Topic
	}
	return ""
}

// text returns a field as text; empty where there is none.
func (t *Thing) text(field string) string {
	switch field {
	case "index_block_hash":
		return t.Block.IndexBlockHash.String()
	case "txid":
		return t.Transaction().TxID.String()
	case "status":
		return string(t.Transaction().Status)
	case "sender":
		return t.Sender()
	case "tx_sender":
		return t.TxSender()
	case "sponsor":
		return t.Sponsor()
	case "recipient":
		return t.Recipient()
	case "contract":
		return t.Contract()
	case "asset":
		return t.Asset()
	case "function":
		return t.Function()
	case "topic":
		return t.Topic()
	case "repr":
		if v := t.Value(); t.repr == "" && !v.IsZero() {
			t.repr = v.Repr()
		}
		return t.repr
	case "cause":
		if tx := t.Decoded(); tx != nil {
			if p, ok := tx.Payload.(*transaction.TenureChange); ok {
				return p.Cause.String()
			}
		}
	}
	return ""
}

// number returns a field as a number; nil where there is none.
func (t *Thing) number(field string) *big.Int {
	switch field {
	case "height":
		return new(big.Int).SetUint64(t.Block.Height)
	case "burn_block_height":
		return new(big.Int).SetUint64(t.Block.BurnBlockHeight)
	case "amount":
		return t.Amount()
	case "unlock_height":
		if d, ok := t.Event.Data.(*nodeevent.STXLock); ok {
			return new(big.Int).SetUint64(d.UnlockHeight)
		}
	case "fee", "nonce":
		if tx := t.Decoded(); tx != nil && field == "fee" {
			return new(big.Int).SetUint64(tx.Fee())
		} else if tx != nil {
			return new(big.Int).SetUint64(tx.Nonce())
		}
	}
	return nil
}

// scalarAt returns the text of what is at a path in a value: names of tuples' fields and indexes of lists with dots between them. What is
// in some, ok or err counts as if it stood there itself. ok is false for none, and for what is no single thing.
func scalarAt(v clarity.Value, path []string) (text string, ok bool) {
	for {
		if inner, wrapped := v.Inner(); wrapped {
			v = inner
			continue
		}
		if len(path) == 0 {
			break
		}
		if v.Type() == clarity.TypeList {
			n, err := strconv.Atoi(path[0])
			elements := v.Elements()
			if err != nil || n < 0 || n >= len(elements) {
				return "", false
			}
			v = elements[n]
		} else if v, ok = v.Field(path[0]); !ok {
			return "", false
		}
		path = path[1:]
	}
	if text, ok = v.Decimal(); ok {
		return text, true
	}
	if text, ok = v.Text(); ok {
		return text, true
	}
	if p, ok := v.Principal(); ok {
		return p.String(), true
	}
	if b, ok := v.Bool(); ok {
		return strconv.FormatBool(b), true
	}
	if b, ok := v.Buffer(); ok {
		return fmt.Sprintf("0x%x", b), true
	}
	return "", false
}
