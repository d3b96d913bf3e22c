package pox_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/internal/synth/synthchain"
	"strata/rig/foldtest"
	"strata/rig/replay"
)

// model is a simple reimplementation: it folds the bodies of the posts of a canonical chain.
type model struct {
	rewards, slots, payouts []string
	received                map[string]*big.Int
	cycles, signers         []string
	events                  map[string]int // by contract
}

func newModel(t testing.TB, posts []replay.Post) *model {
	t.Helper()
	m := &model{received: map[string]*big.Int{}, events: map[string]int{}}
	for _, post := range posts {
		decoder := json.NewDecoder(bytes.NewReader(post.Body))
		decoder.UseNumber()
		var err error
		switch post.Path {
		case "/new_burn_block":
			var b burnBody
			if err = decoder.Decode(&b); err == nil {
				m.burn(b)
			}
		case "/new_block":
			var b blockBody
			if err = decoder.Decode(&b); err == nil {
				m.block(b)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return m
}

type burnBody struct {
	Hash       string   `json:"burn_block_hash"`
	Height     int64    `json:"burn_block_height"`
	Recipients []payout `json:"reward_recipients"`
	Holders    []string `json:"reward_slot_holders"`
	Commits    []struct {
		TxID       string   `json:"txid"`
		Recipients []payout `json:"reward_recipients"`
	} `json:"pox_transactions"`
}

type payout struct {
	Recipient string      `json:"recipient"`
	Amount    json.Number `json:"amt"`
	UTXO      *int64      `json:"utxo_idx"`
}

type blockBody struct {
	Height int64  `json:"block_height"`
	Cycle  *int64 `json:"cycle_number"`
	Set    *struct {
		Signers []struct {
			Key     string `json:"signing_key"`
			Stacked string `json:"stacked_amt"`
			Weight  int64  `json:"weight"`
		} `json:"signers"`
	} `json:"reward_set"`
	Transactions []struct{ TxID, Status string }
	Events       []struct {
		TxID      string
		Committed bool
		Event     *struct {
			Contract string `json:"contract_identifier"`
			Topic    string
		} `json:"contract_event"`
	}
}

func (m *model) burn(b burnBody) {
	for i, r := range b.Recipients {
		m.rewards = append(m.rewards, fmt.Sprint(b.Height, " ", i, " ", r.Recipient, " ", r.Amount))
		n, _ := new(big.Int).SetString(string(r.Amount), 10)
		if m.received[r.Recipient] == nil {
			m.received[r.Recipient] = new(big.Int)
		}
		m.received[r.Recipient].Add(m.received[r.Recipient], n)
	}
	for i, holder := range b.Holders {
		m.slots = append(m.slots, fmt.Sprint(b.Height, " ", i, " ", holder))
	}
	slices.SortFunc(b.Commits, func(one, other struct {
		TxID       string   `json:"txid"`
		Recipients []payout `json:"reward_recipients"`
	}) int {
		return cmp.Compare(one.TxID, other.TxID)
	})
	for _, commit := range b.Commits {
		for _, r := range commit.Recipients {
			m.payouts = append(m.payouts, fmt.Sprint(b.Height, " ", commit.TxID, " ", *r.UTXO, " ", r.Recipient, " ", r.Amount))
		}
	}
}

func (m *model) block(b blockBody) {
	succeeded := map[string]bool{}
	for _, tx := range b.Transactions {
		succeeded[tx.TxID] = tx.Status == "success"
	}
	for _, e := range b.Events {
		if e.Event == nil || e.Event.Topic != "print" || !e.Committed || !succeeded[e.TxID] {
			continue
		}
		if address, name, _ := strings.Cut(e.Event.Contract, "."); strings.Contains(address, "00000000000000000000") && strings.HasPrefix(name, "pox-") && name != "pox-5" {
			m.events[name[len("pox-"):]]++
		}
	}
	if b.Cycle == nil || b.Set == nil {
		return
	}
	stacked, weight := new(big.Int), int64(0)
	for _, s := range b.Set.Signers {
		n, _ := new(big.Int).SetString(s.Stacked, 10)
		stacked.Add(stacked, n)
		weight += s.Weight
		m.signers = append(m.signers, fmt.Sprint(*b.Cycle, " ", s.Key, " ", s.Stacked, " ", s.Weight))
	}
	m.cycles = append(m.cycles, fmt.Sprint(*b.Cycle, " ", b.Height, " ", len(b.Set.Signers), " ", weight, " ", stacked))
}

// compare checks that the tables have the rows of the model, and that the model has some.
func (m *model) compare(t testing.TB, tx pgx.Tx, generation synthchain.Generation) {
	t.Helper()
	sorted := func(list []string) []string {
		slices.Sort(list)
		return list
	}
	var received, events []string
	for address, sum := range m.received {
		received = append(received, address+" "+sum.String())
	}
	for _, contract := range slices.Sorted(maps.Keys(m.events)) {
		events = append(events, fmt.Sprint(contract, " ", m.events[contract]))
	}
	for _, part := range []struct {
		what, query string
		want        []string
		from        synthchain.Generation // the first generation that has such rows
	}{
		{"rewards", `SELECT height || ' ' || reward_index || ' ' || recipient || ' ' || amount FROM {schema}.reward`, m.rewards, synthchain.V205},
		{"slots", `SELECT height || ' ' || slot_index || ' ' || address FROM {schema}.slot`, m.slots, synthchain.V205},
		{"payouts", `SELECT height || ' 0x' || encode(txid, 'hex') || ' ' || utxo_index || ' ' || recipient || ' ' || amount FROM {schema}.payout`, m.payouts, synthchain.V34},
		{"sums", `SELECT recipient || ' ' || amount FROM {schema}.recipient`, received, synthchain.V205},
		{"cycles", `SELECT cycle_number || ' ' || height || ' ' || total_signers || ' ' || total_weight || ' ' || total_stacked FROM {schema}.cycle`, m.cycles, synthchain.V25},
		{"signers", `SELECT cycle_number || ' ' || encode(signing_key, 'hex') || ' ' || stacked || ' ' || weight FROM {schema}.signer`, m.signers, synthchain.V25},
		{"events", `SELECT contract || ' ' || count(*) FROM {schema}.event GROUP BY contract`, events, synthchain.V21},
	} {
		if generation >= part.from && len(part.want) == 0 {
			t.Errorf("there are no %s", part.what)
		}
		foldtest.Same(t, part.what, sorted(rig.Texts(t, tx, part.query)), sorted(part.want))
	}
	if order := rig.Texts(t, tx, `
		SELECT height::text FROM (SELECT height, rank, txid, lag(txid) OVER (PARTITION BY height ORDER BY rank) AS before FROM {schema}.payout) p WHERE txid > before`); len(order) > 0 {
		t.Errorf("outputs of blocks %v are not in the order of transaction ids", order)
	}
}
