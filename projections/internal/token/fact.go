package token

import (
	"math/big"
	"strings"

	"strata/domain/clarity"
	"strata/domain/nodeevent"
	"strata/domain/token"
	"strata/projections"
)

// fact is something that happened in a block and may concern the tokens of a kind.
type fact interface {
	// about returns the id of the contract concerned.
	about() string
}

// deploy is the deployment of a contract. While its interface is not known, recognised is empty.
type deploy struct {
	contract   string
	txIndex    int
	txid       []byte
	recognised token.Recognised
	known      bool // whether the event contained the interface
}

// mint is the creation of a token, perhaps not its first.
type mint struct {
	contract string
	id       *big.Int
}

// supply is a change of a token's supply.
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

// one is the token id that this package gives to a fungible token, which has none of its own.
var one = big.NewInt(1)

// factsOf returns what in a block may concern tokens of a kind, in the order of execution. The block does not tell
// whether a contract that it mentions follows the standard of the kind.
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

// deployOf returns the deployment of a contract, and false if the contract is known not to follow the standard of this
// kind.
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
	if n, ok := token.ParseNotification(value); ok { // its token class is not compared with the contract's kind
		return notice{Notification: n}
	}
	return nil
}

// contractOf returns the contract id of an asset identifier such as "SP….name::asset".
func contractOf(asset string) string {
	contract, _, _ := strings.Cut(asset, "::")
	return contract
}

// uintOf decodes a serialised uint; nil for a value of another type. Only tokens with a uint as their id have metadata.
func uintOf(raw []byte) *big.Int {
	value, err := clarity.DecodeAll(raw)
	if err != nil || value.Type() != clarity.TypeUint {
		return nil
	}
	id, _ := value.Int()
	return id
}
