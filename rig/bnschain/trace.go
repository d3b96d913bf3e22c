// Package bnschain reads the trace of BNS-V2 that the contracts themselves wrote: blocks of calls, and the state to arrive at.
package bnschain

import (
	"encoding/json"
	"fmt"
	"testing"

	"strata/domain/clarity"
	"strata/internal/synth/synthblock"
	"strata/internal/synth/synthnames"
	"strata/internal/testkit/must"
	"strata/internal/testkit/vector"
	"strata/rig/replay"
)

// traced is a call of the trace, or its last line.
type traced struct {
	Tx                         int
	Note                       string
	Contract, Function, Sender string
	Args                       []string
	BurnHeight                 int64 `json:"burn_height"`
	Epoch                      string
	Success                    bool
	Events                     []struct {
		Type, Asset, ID, From, To, Amount, Contract, Hex string
	}
	FinalState *Final `json:"final_state"`
}

// Final is the state at the end of the trace, as the contracts themselves tell it.
type Final struct {
	BurnHeight int64 `json:"burn_height"`
	Names      []FinalName
	Primary    map[string]*string
	Namespaces map[string]json.RawMessage
}

// FinalName is a name, or a burned id.
type FinalName struct {
	ID, Name, Namespace string
	NFTOwner            *string          `json:"nft_owner"`
	Properties          *FinalProperties `json:"properties"`
	EffectiveRenewal    *string          `json:"effective_renewal"`
	Listing             *struct{ Price, Commission string }
	Zonefile            *struct {
		Owner    string
		Zonefile *string
		Revoked  bool
	}
	Resolve json.RawMessage
}

// FinalProperties are the properties of a name.
type FinalProperties struct {
	Preorder      *string `json:"hashed_salted_fqn_preorder"`
	ImportedAt    *string `json:"imported_at"`
	Owner         string
	PreorderedBy  *string `json:"preordered_by"`
	RegisteredAt  *string `json:"registered_at"`
	RenewalHeight string  `json:"renewal_height"`
	Burned        string  `json:"stx_burn"`
}

// Trace returns the trace as blocks, one for each call, and the state to arrive at. It skips the test without vectors.
// The airdrops are bodies of deployments.
func Trace(t testing.TB) (blocks []synthnames.Block, final *Final) {
	t.Helper()
	for _, row := range vector.Rows(t, "bns_v2_trace.jsonl") {
		line := vector.Decode[traced](t, row)
		if line.FinalState != nil {
			final = line.FinalState
			continue
		}
		call := synthnames.Call{Contract: line.Contract, Function: line.Function, Sender: line.Sender, Failed: !line.Success}
		if call.Function == "namespace-airdrop" || call.Function == "name-airdrop" {
			call.Deploys = fmt.Sprint("airdrop-", line.Tx)
		}
		for _, text := range line.Args {
			value := must.Get(clarity.DecodeAll(vector.Bytes(t, text)))(t)
			call.Args = append(call.Args, value)
		}
		for _, e := range line.Events {
			var event synthnames.Event
			id := uint64(0)
			if e.ID != "" {
				must.Get(fmt.Sscan(e.ID, &id))(t)
			}
			switch e.Type {
			case "print":
				event = synthblock.Print(e.Contract, clarity.Value{})
				event.Data["raw_value"] = e.Hex
			case "nft_mint":
				event = synthnames.Mint(id, e.To)
			case "nft_transfer":
				event = synthnames.Transfer(id, e.From, e.To)
			case "nft_burn":
				event = synthnames.Burn(id, e.From)
			case "stx_burn":
				event = synthnames.BurnSTX(e.From, e.Amount)
			case "stx_transfer":
				event = synthnames.TransferSTX(e.From, e.To, e.Amount)
			default:
				t.Fatalf("call %d has an event of type %s", line.Tx, e.Type)
			}
			call.Events = append(call.Events, event)
		}
		n := int64(len(blocks))
		b := synthnames.Block{Name: fmt.Sprint("trace", n), Height: n, BurnHeight: line.BurnHeight, Old: line.Epoch < "3", Calls: []synthnames.Call{call}}
		if n > 0 {
			b.Parent = blocks[n-1].Name
		}
		blocks = append(blocks, b)
	}
	if final == nil {
		t.Fatal("the trace has no final state")
	}
	return blocks, final
}

// Posts returns blocks as a node posts them.
func Posts(blocks ...synthnames.Block) []replay.Post {
	posts := make([]replay.Post, len(blocks))
	for i := range blocks {
		posts[i] = blocks[i].Post()
	}
	return posts
}
