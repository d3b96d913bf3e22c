package token

import (
	"math/big"
	"strings"

	"strata/domain/clarity"
	"strata/domain/nodeevent"
	"strata/domain/token"
	"strata/projections"
)

// fact is something in a block that may concern the tokens of a kind.
type fact interface {
	// about is the contract concerned.
	about() string
}

// deploy is a contract that was deployed; kind and names are empty as long as its interface is not known.
type deploy struct {
	contract   string
	txIndex    int
	txid       []byte
	recognised token.Recognised
	known      bool // the event had the interface
}

// mint is a token that was created, perhaps not for the first time.
type mint struct {
	contract string
	id       *big.Int
}

// supply is a change of how much there is of a token.
type supply struct {
	contract string
	id       *big.Int
}

// notice is an authorised notification.
type notice struct {
	token.Notification
	txIndex, eventIndex int
	pointer             string
}

func (f deploy) about() string { return f.contract }
func (f mint) about() string   { return f.contract }
func (f supply) about() string { return f.contract }
func (f notice) about() string { return f.Contract }

// one is the id of a fungible token.
var one = big.NewInt(1)

// factsOf reads from a block what may concern tokens of a kind, in the order of execution. Whether a contract is one of
// tokens is not in the block.
func factsOf(kind token.Kind, content *projections.Block) []fact {
	var facts []fact
	effective := content.EffectiveEvents()
	for _, tx := range content.ExecutionOrder() {
		decoded := content.Decoded[tx.Index]
		if decoded == nil || !tx.Succeeded() {
			continue
		}
		if contract, ok := decoded.Deploys(); ok {
			if d, ok := deployOf(kind, contract.String(), tx); ok {
				facts = append(facts, d)
			}
		}
		for i, e := range effective[tx.Index] {
			f := factOf(kind, e)
			if n, ok := f.(notice); ok {
				emitter := e.Data.(*nodeevent.ContractEvent).Contract
				if !n.AuthorisedBy(emitter, decoded.Sender().String()) {
					continue
				}
				n.txIndex, n.eventIndex, n.pointer = tx.Index, i, e.Pointer()
				f = n
			}
			if f != nil {
				facts = append(facts, f)
			}
		}
	}
	return facts
}

// deployOf is false for a contract that is known not to be of this kind.
func deployOf(kind token.Kind, contract string, tx *nodeevent.Transaction) (deploy, bool) {
	d := deploy{contract: contract, txIndex: tx.Index, txid: tx.TxID[:]}
	recognised, known := recognise(tx.ContractInterface)
	if known && recognised.Kind != kind {
		return d, false
	}
	d.recognised, d.known = recognised, known
	return d, true
}

func factOf(kind token.Kind, e *nodeevent.Event) fact {
	switch d := e.Data.(type) {
	case *nodeevent.FTMint:
		if kind == token.FT {
			return supply{contractOf(d.Asset), one}
		}
	case *nodeevent.FTBurn:
		if kind == token.FT {
			return supply{contractOf(d.Asset), one}
		}
	case *nodeevent.NFTMint:
		if kind != token.NFT {
			return nil
		}
		if id := uintOf(d.RawValue); id != nil {
			return mint{contractOf(d.Asset), id}
		}
	case *nodeevent.ContractEvent:
		return printOf(kind, d)
	}
	return nil
}

func printOf(kind token.Kind, d *nodeevent.ContractEvent) fact {
	if d.Topic != token.PrintTopic {
		return nil
	}
	value, err := clarity.DecodeAll(d.RawValue)
	if err != nil {
		return nil
	}
	if kind == token.SFT {
		if p, ok := token.ParseSFTPrint(value); ok {
			switch p.Event {
			case token.SFTMint:
				return mint{d.Contract, p.TokenID}
			case token.SFTBurn:
				return supply{d.Contract, p.TokenID}
			}
			return nil
		}
	}
	if n, ok := token.ParseNotification(value); ok { // its class is not compared with what the contract is
		return notice{Notification: n}
	}
	return nil
}

// contractOf is the contract of an asset, such as "SP….name::asset".
func contractOf(asset string) string {
	contract, _, _ := strings.Cut(asset, "::")
	return contract
}

// uintOf is the number that a serialised value is; nil when it is something else. Only such ids have metadata.
func uintOf(raw []byte) *big.Int {
	value, err := clarity.DecodeAll(raw)
	if err != nil || value.Type() != clarity.TypeUint {
		return nil
	}
	id, _ := value.Int()
	return id
}
