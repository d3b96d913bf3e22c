package rig

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strconv"

	"strata/domain/ordinals"
	"strata/internal/synth/synthordinals"
	"strata/projections"
	"strata/rig/replay"
)

// CheckBRC20 compares the tables of a version of brc20 with the generator's model.
func CheckBRC20(t replay.TB, db replay.Querier, spec projections.Spec, want *synthordinals.State) {
	t.Helper()
	var tokens, balances, activity, blocks []string
	for _, b := range want.Blocks {
		blocks = append(blocks, fmt.Sprintf("%d %x %d", b.Height, b.Hash[:], b.Time))
	}
	for _, k := range want.Tokens {
		tokens = append(tokens, fmt.Sprintf("%s %s %s %s %d %x %d %s %s %s %d %t %s %d %d", k.Ticker, k.Tick, k.ID, number(want, k.ID), k.Height, k.TxID[:], k.TxIndex,
			k.Address, amount(k.Max), amount(k.Limit), k.Decimals, k.SelfMint, amount(k.Minted), k.TxCount, k.Holders))
	}
	for h, b := range want.Balances {
		balances = append(balances, fmt.Sprintf("%s %s %s %s", h.Ticker, h.Address, amount(b.Available), amount(b.Transferrable)))
	}
	transfers, sends := map[ordinals.InscriptionID]bool{}, map[ordinals.InscriptionID]string{}
	for _, a := range want.Activity {
		switch a.Kind {
		case ordinals.BRC20KindTransfer:
			transfers[a.ID] = true
		case ordinals.BRC20KindTransferSend:
			sends[a.ID] = fmt.Sprintf("%d %d", a.Height, a.TxIndex)
		}
	}
	for _, a := range want.Activity {
		receiver := a.Receiver
		if a.Kind != ordinals.BRC20KindTransferSend {
			receiver = "-"
		}
		n := number(want, a.ID)
		at := satpoint(want, &a)
		if a.Kind == ordinals.BRC20KindTransferSend && !transfers[a.ID] { // its transfer is in a gap
			n, at = "-", "?"
		}
		sent := "-"
		if a.Kind == ordinals.BRC20KindTransfer {
			sent = cmp.Or(sends[a.ID], sent)
		}
		activity = append(activity, fmt.Sprintf("%s %s %s %d %x %d %s %s %s %s %s %s", a.Kind, a.Ticker, a.ID, a.Height, a.TxID[:], a.TxIndex, a.Address,
			receiver, amount(a.Amount), n, at, sent))
	}
	sorted := func(what, query string, want []string) {
		t.Helper()
		got := replay.Texts(t, db, spec.SQL(query))
		slices.Sort(got)
		slices.Sort(want)
		same(t, "BRC-20 "+what, got, want)
	}
	sorted("blocks", `SELECT concat_ws(' ', height, encode(block_hash, 'hex'), time) FROM {schema}.block`, blocks)
	sorted("tokens", `
		SELECT concat_ws(' ', ticker, tick, id, coalesce(number::text, '-'), height, encode(txid, 'hex'), tx_index, address, max_supply, coalesce(mint_limit::text, '-'), decimals,
			CASE WHEN self_mint THEN 'true' ELSE 'false' END, minted, tx_count, holders) FROM {schema}.token WHERE height IS NOT NULL`, tokens)
	sorted("balances", `
		SELECT concat_ws(' ', ticker, address, available, transferrable) FROM {schema}.balance WHERE available <> 0 OR transferrable <> 0`, balances)
	sorted("activity", `
		SELECT concat_ws(' ', (ARRAY['deploy', 'mint', 'transfer', 'transfer_send'])[kind], ticker, id, height, encode(txid, 'hex'), tx_index,
			address, CASE kind WHEN 4 THEN receiver ELSE '-' END, coalesce(amount::text, '-'), coalesce(number::text, '-'),
			CASE WHEN kind = 4 AND sat IS NULL THEN '?' ELSE coalesce(satpoint, '-') END,
			coalesce(sent_height || ' ' || sent_tx_index, '-')) FROM {schema}.operation`, activity)
}

// number prints the number of an inscription; - if it is not known.
func number(s *synthordinals.State, id ordinals.InscriptionID) string {
	if i := s.Inscriptions[id]; i != nil {
		return strconv.FormatInt(i.Number, 10)
	}
	return "-"
}

// satpoint returns the satpoint of an operation's inscription after it; - if the model does not know it.
func satpoint(s *synthordinals.State, a *synthordinals.Activity) string {
	i := s.Inscriptions[a.ID]
	if i == nil {
		return "-"
	}
	for _, l := range s.Locations[i.Sat] {
		if l.Height == a.Height && l.TxIndex == a.TxIndex {
			return l.Output + ":" + strconv.FormatUint(*l.Offset, 10)
		}
	}
	return "-"
}

// amount prints an amount as the tables do.
func amount(units *big.Int) string {
	if units == nil {
		return "-"
	}
	return ordinals.FormatAmount(units, ordinals.AmountDecimals)
}
