package plan

import (
	"strata/domain/clarity"
	"strata/internal/synth/synthchain/internal/account"
	"strata/internal/synth/synthchain/internal/contracts"
	"strata/internal/synth/synthchain/internal/ledger"
	"strata/internal/synth/synthchain/internal/nodejson"
	"strata/internal/synth/synthchain/internal/vm"
	"strata/internal/synth/value"
)

// announce plans a call of a vault that prints a notification about the tokens of another contract (SIP-019). Mostly it is from the
// owner of that contract; from anybody else it does not count.
func (p *Planner) announce(x *vm.Execution, vault ledger.Party, from *account.Account) *vm.Operation {
	class, template := "ft", contracts.Coin
	if p.random.IntN(2) == 0 {
		class, template = "nft", contracts.Piece
	}
	about, ok := p.contract(x, template)
	if !ok {
		return nil
	}
	principal := p.rules.Roll.Principal(about)
	if p.random.IntN(8) > 0 {
		from = nil
		for _, a := range p.accounts {
			if a.Address == principal.Address && x.Spendable(a.Party) >= spare {
				from = a
			}
		}
		if from == nil {
			return nil
		}
	}
	payload := []any{"token-class", class, "contract-id", p.rules.Roll.Value(about)}
	switch p.random.IntN(4) {
	case 0:
		payload = append(payload, "update-mode", "dynamic", "ttl", 60+p.random.Uint64N(1000))
	case 1:
		if next := x.NextItem.Get(about); class == "nft" && next > 0 {
			payload = append(payload, "token-ids", value.Must(clarity.NewList(clarity.NewUint64(p.random.Uint64N(next)))))
		}
	}
	printed := value.Tuple("notification", "token-metadata-update", "payload", value.Tuple(payload...))
	return p.call(x, from, vault, allowAll, "note", []clarity.Value{clarity.NewUint64(8)}, func(x *vm.Execution) nodejson.Outcome {
		x.Print(vault, printed)
		return vm.Succeeded()
	})
}
