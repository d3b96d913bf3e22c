package pox

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"strata/domain/clarity"
	"strata/domain/nodeevent"
	"strata/domain/pox"
	"strata/projections"
)

// withManagers is the version of the contract whose stackers choose a signer manager instead of a key.
const withManagers = 5

// longestTerm is the maximum number of cycles of a position in pox-5.
const longestTerm = 96

// managerMinimum is the amount, in µSTX, that the stackers of a manager must have together for the manager to sign
// (pox-5, 50,000 STX).
var managerMinimum = big.NewInt(50_000_000_000)

// isPox5Set reports whether a set of signers was computed from pox-5: such a set rewards no addresses and has no
// threshold.
func isPox5Set(set *nodeevent.RewardSet) bool {
	return set.PoxThreshold == nil && len(set.RewardedAddresses) == 0
}

// stake is what a print of pox-5 says about a stacker's cycles from start up to, but not including, end. Of several that
// cover a cycle, the last one counts.
type stake struct {
	height, seq      int64
	position         int // among the prints of the block
	start, end       int64
	amount           *big.Int // 0 for an end of the position
	stacker, manager string
}

// managerKey is the registration of a manager's signing key.
type managerKey struct {
	height, seq int64
	position    int
	manager     string
	key         []byte
}

// pox5Print decodes a print of pox-5. It returns false for all other events, and for prints that it can't decode.
func pox5Print(e *nodeevent.Event) (pox.Print, bool) {
	printed, ok := e.Data.(*nodeevent.ContractEvent)
	if !ok || printed.Topic != topicPrint {
		return pox.Print{}, false
	}
	contract, err := clarity.ParsePrincipal(printed.Contract)
	if err != nil {
		return pox.Print{}, false
	}
	if version, ok := pox.Version(contract); !ok || version != withManagers {
		return pox.Print{}, false
	}
	value, err := clarity.DecodeAll(printed.RawValue)
	if err != nil {
		return pox.Print{}, false
	}
	decoded, err := pox.DecodePrint(value)
	return decoded, err == nil
}

// addPox5 adds what an event says about stakes and keys in pox-5.
func (r *eventBatch) addPox5(e *nodeevent.Event, height, seq int64, position int) {
	p, ok := pox5Print(e)
	if !ok {
		return
	}
	s := stake{height: height, seq: seq, position: position}
	cycles := func(start, end *big.Int) bool {
		from, until := cycleOf(start), cycleOf(end)
		if from == nil || until == nil || *from >= *until {
			return false
		}
		s.start, s.end = *from, *until
		return true
	}
	field := func(name string) *big.Int {
		n, _ := p.Uint(name)
		if n == nil || !n.IsInt64() || n.Int64() > math.MaxInt64/2 {
			return nil
		}
		return n
	}
	sum := func(one, other *big.Int, sign int64) *big.Int {
		if one == nil || other == nil {
			return nil
		}
		return new(big.Int).Add(one, new(big.Int).Mul(other, big.NewInt(sign)))
	}
	switch p.Topic {
	case "register-signer":
		manager, isPrincipal := p.Principal("signer")
		key, isBuffer := p.Buffer("signer-key")
		if isPrincipal && isBuffer && len(key) == keyLength {
			r.keys = append(r.keys, managerKey{height, seq, position, manager.String(), key})
		}
		return
	case "stake", "register-for-bond":
		ok = cycles(field("first-reward-cycle"), field("unlock-cycle"))
	case "stake-update": // from the next cycle on
		ok = cycles(sum(field("unlock-cycle"), field("num-cycles"), -1), field("unlock-cycle"))
	case "update-bond-registration":
		ok = cycles(field("first-reward-cycle"), sum(field("first-reward-cycle"), field("num-cycles"), 1))
	case "unstake":
		ok = cycles(field("unlock-cycle"), sum(field("unlock-cycle"), big.NewInt(longestTerm), 1))
	default:
		return
	}
	stacker, isStacker := p.Principal("staker")
	manager, isManager := p.Principal("signer")
	amount, isAmount := p.Uint("amount-ustx")
	if !ok || !isStacker || !isManager || !isAmount {
		return
	}
	if p.Topic == "unstake" {
		amount = new(big.Int)
	}
	s.stacker, s.manager, s.amount = stacker.String(), manager.String(), amount
	r.stakes = append(r.stakes, s)
}

// writePox5 writes the collected stakes and keys.
func (r *eventBatch) writePox5(ctx context.Context) error {
	stakes, keys := make([][]any, len(r.stakes)), make([][]any, len(r.keys))
	for i, s := range r.stakes {
		stakes[i] = []any{s.height, s.seq, s.start, s.end, int32(s.position), projections.Amount(s.amount), s.stacker, s.manager}
	}
	for i, k := range r.keys {
		keys[i] = []any{k.height, k.seq, int32(k.position), k.manager, k.key}
	}
	r.stakes, r.keys = nil, nil
	if err := r.batch.copy(ctx, "pox5_stake", "height source_seq start_cycle end_cycle position amount stacker manager", stakes); err != nil {
		return err
	}
	return r.batch.copy(ctx, "pox5_key", "height source_seq position manager signing_key", keys)
}

// pox5Stackers returns the accounts with STX staked in a cycle by name, with the keys of their managers, as of the
// prints written so far. It leaves out those whose manager has no key or too little stake to sign.
func (b *batch) pox5Stackers(ctx context.Context, cycle int64) (map[string]*stacker, error) {
	rows, err := b.tx.Query(ctx, b.sql(`
		SELECT s.source_seq, s.amount, s.stacker, s.manager, k.signing_key FROM (
			SELECT DISTINCT ON (stacker) source_seq, amount, stacker, manager
			FROM {schema}.pox5_stake WHERE end_cycle > $1 AND start_cycle <= $1
			ORDER BY stacker, height DESC, position DESC
		) s
		CROSS JOIN LATERAL (
			SELECT k.signing_key FROM {schema}.pox5_key k WHERE k.manager = s.manager ORDER BY k.height DESC, k.position DESC LIMIT 1
		) k
		WHERE s.amount > 0`), cycle)
	if err != nil {
		return nil, fmt.Errorf("read who stakes in cycle %d: %w", cycle, err)
	}
	stackers, delegated := map[string]*stacker{}, map[string]*big.Int{}
	var seq int64
	var amount pgtype.Numeric
	var name, manager string
	var key []byte
	if _, err := pgx.ForEachRow(rows, []any{&seq, &amount, &name, &manager, &key}, func() error {
		pool := manager
		s := &stacker{name: name, seq: seq, amount: projections.WholeNumber(amount), pool: &pool, address: []byte{}, key: [keyLength]byte(key), assigned: true}
		stackers[name] = s
		if delegated[manager] == nil {
			delegated[manager] = new(big.Int)
		}
		delegated[manager].Add(delegated[manager], s.amount)
		return nil
	}); err != nil {
		return nil, fmt.Errorf("read who stakes in cycle %d: %w", cycle, err)
	}
	for _, s := range stackers {
		s.assigned = delegated[*s.pool].Cmp(managerMinimum) >= 0
	}
	return stackers, nil
}
