package staking

import (
	"context"
	"net/http"
	"slices"

	"strata/domain/clarity"
	"strata/domain/hash"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/schema"
	"strata/readapi/internal/view"
)

// BondRegistration is the registration of a staker for a bond.
type BondRegistration struct {
	Staker   string        `json:"staker"`
	Signer   string        `json:"signer" doc:"The signer manager, a contract."`
	Type     string        `json:"type" enum:"l1,l2" doc:"Where the sats are locked: l1 on Bitcoin, l2 as sBTC."`
	Balances lockedAmounts `json:"balances" doc:"What is locked now; zero once the bond has unlocked or another position took its place."`
}

// registrationDetail is a registration with its lockup.
type registrationDetail struct {
	BondRegistration
	L1Lockup *l1Lockup `json:"l1_lockup,omitempty" doc:"Only for type l1."`
	L2Lockup *l2Lockup `json:"l2_lockup,omitempty" doc:"Only for type l2."`
}

type l1Lockup struct {
	Transactions []l1Output `json:"transactions" nullable:"false"`
}

type l1Output struct {
	TxID        view.HexText `json:"tx_id" doc:"Id of the Bitcoin transaction, in the byte order of block explorers."`
	OutputIndex int64        `json:"output_index"`
}

type l2Lockup struct {
	TxID hash.Hash32 `json:"tx_id" doc:"The Stacks transaction of the registration."`
}

// registrationRow is a registration as the tables store it.
type registrationRow struct {
	staker, signer string
	l1             bool
	sats, ustx     string
	unlock         int64 // Bitcoin height
}

func registrationColumns(r *registrationRow) []any {
	return []any{&r.staker, &r.signer, &r.l1, &r.sats, &r.ustx, &r.unlock}
}

const registrationSQL = `t.staker, t.signer, t.l1, t.sats::text, t.ustx::text, t.unlock_height`

var registrationList = keyset{
	from:    `{staking}.registration t JOIN {staking}.event e ON e.n = t.enrolled_n WHERE t.bond_index = $1 AND t.until_n IS NULL`,
	sources: `{staking.event t}`, columns: registrationSQL, key: []string{"t.enrolled_n"}, text: eventText, descending: true,
}

func (r *registrationRow) shape(tip int64) BondRegistration {
	body := BondRegistration{Staker: r.staker, Signer: r.signer, Type: "l2", Balances: lockedAmounts{schema.Amount(r.sats), schema.Amount(r.ustx)}}
	if r.l1 {
		body.Type = "l1"
	}
	if r.unlock <= tip {
		body.Balances = lockedAmounts{"0", "0"}
	}
	return body
}

func (a *api) registerRegistrations() {
	engine.Get(a.Engine, engine.Operation{
		ID: "list-staking-bond-registrations", Path: prefix + "/bonds/{bond_index}/registrations", Tag: tag, Summary: "Registrations for a bond, newest first",
		Statuses: []int{http.StatusBadRequest},
	}, func(ctx context.Context, s *engine.Snapshot, in *bondListInput) (*page.KeysetPage[BondRegistration], error) {
		tip, ok := tipHeight(s)
		if !ok {
			return emptyPage[BondRegistration](in.Limit), nil
		}
		b := s.Batch()
		total := queueCount(b, `coalesce((SELECT registered FROM {staking}.bond WHERE bond_index = $1), 0)`, in.Bond)
		bound, args, err := in.Cursor.bound(2)
		if err != nil {
			return nil, err
		}
		p := queue(b, &registrationList, registrationColumns, in.Limit, bound, append([]any{in.Bond}, args...)...)
		if err := b.Run(ctx); err != nil {
			return nil, err
		}
		return pageOf(p, total(), func(r *registrationRow) BondRegistration { return r.shape(tip) }), nil
	})
	engine.Get(a.Engine, engine.Operation{
		ID: "get-staking-bond-registration", Path: prefix + "/bonds/{bond_index}/registrations/{principal}", Tag: tag, Summary: "The registration of a staker for a bond",
		Statuses: []int{http.StatusBadRequest, http.StatusNotFound},
	}, getRegistration)
}

// enrolledRow is a registration with the print that made it.
type enrolledRow struct {
	registrationRow
	txid  hash.Hash32
	print []byte
}

func getRegistration(ctx context.Context, s *engine.Snapshot, in *bondStakerInput) (*registrationDetail, error) {
	missing := engine.NotFound("Bond registration not found")
	tip, ok := tipHeight(s)
	if !ok {
		return nil, missing
	}
	row, ok, err := find(ctx, s, func(r *enrolledRow) []any {
		return append(registrationColumns(&r.registrationRow), &r.txid, &r.print)
	}, `
		SELECT {staking.event t, staking.event e}, `+registrationSQL+`, e.txid, p.value FROM {staking}.registration t
		JOIN {staking}.event e ON e.n = t.enrolled_n
		JOIN {chain}.event p ON p.source_seq = e.source_seq AND p.tx_index = e.tx_index AND p.event_index = e.event_index
		WHERE t.bond_index = $1 AND t.staker = $2 AND t.until_n IS NULL`, in.Bond, string(in.Principal))
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, missing
	}
	body := &registrationDetail{BondRegistration: row.shape(tip)}
	if row.l1 {
		body.L1Lockup = &l1Lockup{outputsOf(row.print)}
	} else {
		body.L2Lockup = &l2Lockup{row.txid}
	}
	return body, nil
}

// outputsOf returns the Bitcoin outputs that a raw print of register-for-bond names.
func outputsOf(raw []byte) []l1Output {
	outputs := []l1Output{}
	value, err := clarity.DecodeAll(raw)
	if err != nil {
		return outputs
	}
	lockup, _ := value.Field("btc-lockup")
	list, _ := lockup.Field("txs")
	if list.Type() == clarity.TypeSome {
		list, _ = list.Inner()
	}
	for _, output := range list.Elements() {
		txid, _ := output.Field("txid")
		index, _ := output.Field("output-index")
		bytes, _ := txid.Buffer()
		reversed := slices.Clone(bytes) // the print has the order of hashing
		slices.Reverse(reversed)
		n, ok := index.Int()
		if !ok || !n.IsInt64() {
			continue
		}
		outputs = append(outputs, l1Output{view.HexOf(reversed), n.Int64()})
	}
	return outputs
}
