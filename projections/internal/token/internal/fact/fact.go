package fact

import (
	"math/big"
	"strings"

	"strata/domain/clarity"
	"strata/domain/nodeevent"
	"strata/domain/token"
	"strata/projections"
)

// Fact is something that happened in a block and may concern the tokens of a kind.
type Fact interface {
	// About returns the id of the contract concerned.
	About() string
}

// Deploy is the deployment of a contract. While its interface is not known, Recognised is empty.
type Deploy struct {
	Contract   string
	TxIndex    int
	TxID       []byte
	Recognised token.Recognised
	Known      bool // whether the event contained the interface
}

// Mint is the creation of a token, perhaps not its first.
type Mint struct {
	Contract string
	ID       *big.Int
}

// Supply is a change of a token's supply.
type Supply struct {
	Contract string
	ID       *big.Int
}

// Notice is an authorised notification, with its position in the block and the JSON pointer to its event.
type Notice struct {
	token.Notification
	TxIndex, EventIndex int
	Pointer             string
}

// About implements Fact.
func (f Deploy) About() string { return f.Contract }

// About implements Fact.
func (f Mint) About() string { return f.Contract }

// About implements Fact.
func (f Supply) About() string { return f.Contract }

// About implements Fact.
func (f Notice) About() string { return f.Contract }

// FungibleID is the token id that the fold gives to a fungible token, which has none of its own.
var FungibleID = big.NewInt(1)

// Of returns what in a block may concern tokens of a kind, in the order of execution. The block does not tell whether a
// contract that it mentions follows the standard of the kind.
func Of(kind token.Kind, content *projections.Block) []Fact {
	var facts []Fact
	effective := content.EffectiveEvents()
	for _, tx := range content.ExecutionOrder() {
		decoded := content.Decoded[tx.Index]
		if decoded == nil || !tx.Succeeded() {
			continue
		}
		if contract, ok := decoded.Deploys(); ok {
			if d, ok := deployOf(kind, contract.String(), tx, content.Deployments()[tx.Index]); ok {
				facts = append(facts, d)
			}
		}
		for i, e := range effective[tx.Index] {
			f := factOf(kind, e)
			if n, ok := f.(Notice); ok {
				emitter := e.Data.(*nodeevent.ContractEvent).Contract
				if !n.AuthorisedBy(emitter, decoded.Sender().String()) {
					continue
				}
				n.TxIndex, n.EventIndex, n.Pointer = tx.Index, i, e.Pointer()
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
func deployOf(kind token.Kind, contract string, tx *nodeevent.Transaction, as projections.Deployed) (Deploy, bool) {
	return Deploy{Contract: contract, TxIndex: tx.Index, TxID: tx.TxID[:], Recognised: as.Recognised, Known: as.Known}, !as.Known || as.Recognised.Kind == kind
}

func factOf(kind token.Kind, e *nodeevent.Event) Fact {
	switch d := e.Data.(type) {
	case *nodeevent.FTMint:
		if kind == token.FT {
			return Supply{contractOf(d.Asset), FungibleID}
		}
	case *nodeevent.FTBurn:
		if kind == token.FT {
			return Supply{contractOf(d.Asset), FungibleID}
		}
	case *nodeevent.NFTMint:
		if kind != token.NFT {
			return nil
		}
		if id := uintOf(d.RawValue); id != nil {
			return Mint{contractOf(d.Asset), id}
		}
	case *nodeevent.ContractEvent:
		return printOf(kind, d)
	}
	return nil
}

func printOf(kind token.Kind, d *nodeevent.ContractEvent) Fact {
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
				return Mint{projections.Text(d.Contract), p.TokenID}
			case token.SFTBurn:
				return Supply{projections.Text(d.Contract), p.TokenID}
			}
			return nil
		}
	}
	if n, ok := token.ParseNotification(value); ok { // its token class is not compared with the contract's kind
		return Notice{Notification: n}
	}
	return nil
}

// contractOf returns the contract id of an asset identifier such as "SP….name::asset".
func contractOf(asset string) string {
	contract, _, _ := strings.Cut(asset, "::")
	return projections.Text(contract)
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
