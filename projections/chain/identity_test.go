package chain_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/transaction"
	"strata/internal/testkit/must"
	"strata/projections/chain"
	"strata/rig"
	"strata/rig/body"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// wholeDatabase returns a database whose log begins with genesis. Its network is not known yet.
func wholeDatabase(t *testing.T) *pgxpool.Pool {
	t.Helper()
	pool := databases.New(t)
	must.Get(pool.Exec(t.Context(), `DELETE FROM log.partial_history`))(t)
	return pool
}

// mined gives a block these transactions.
func mined(raw ...[]byte) func(*body.Block) {
	return func(b *body.Block) {
		b.Transactions = nil
		for _, tx := range raw {
			b.Transactions = append(b.Transactions, body.Transaction{Raw: tx})
		}
	}
}

// allocating gives a genesis block mints of STX to the miner.
func allocating(amounts ...string) func(*body.Block) {
	return func(b *body.Block) {
		b.Transactions = []body.Transaction{{Raw: body.Boot(&transaction.Coinbase{})}}
		for _, amount := range amounts {
			b.Transactions[0].Events = append(b.Transactions[0].Events,
				body.Event{Type: "stx_mint_event", Data: map[string]any{"recipient": body.Account("miner").Address(), "amount": amount}})
		}
	}
}

// elsewhere is the coinbase of another network.
func elsewhere(n transaction.Network) []byte {
	raw := bytes.Clone(coinbase)
	copy(raw, []byte{byte(n.Version), byte(n.ChainID >> 24), byte(n.ChainID >> 16), byte(n.ChainID >> 8), byte(n.ChainID)})
	return raw
}

func TestBeginsWithGenesis(t *testing.T) {
	t.Parallel()
	merged := mined(coinbase, body.Boot(&transaction.Coinbase{}))
	for _, s := range []scenario{
		{"blocks above genesis wait", []replay.Post{stacks("a5", "a4", "6a"), stacks("a6", "a5", "7a")}, state{gaps: "a4"}},
		{"until all below them are there", []replay.Post{stacks("a3", "a2", "4a"), stacks("a4", "a3", "5a"), stacks("a1", "genesis", "2a"), genesis(),
			stacks("a2", "a1", "3a")}, state{chain: "genesis a1 a2 a3 a4", steps: "+genesis +a1 +a2 +a3 +a4"}},
		{"the empty genesis of a node's start is none", []replay.Post{genesis(empty), stacks("a1", "genesis", "2a")}, state{gaps: "genesis"}},
		{"the whole one is", []replay.Post{genesis(empty), stacks("a1", "genesis", "2a"), genesis(), genesis(empty)},
			state{chain: "genesis a1", steps: "+genesis +a1"}},
		{"block 1 of an old node has genesis in it", []replay.Post{stacks("a1", "genesis", "2a", old, merged), stacks("a2", "a1", "3a", old)},
			state{chain: "a1 a2", steps: "+a1 +a2"}},
		{"another block 1 does not", []replay.Post{stacks("a1", "genesis", "2a", old), stacks("a2", "a1", "3a", old)}, state{gaps: "genesis"}},
	} {
		t.Run(s.name, func(t *testing.T) { check(t, wholeDatabase(t), chain.Recommended, s.want, s.posts...) })
	}
}

// A log that was first folded as one that begins with genesis may begin anywhere after the event at which that was said, and
// each way to fold it has the same steps.
func TestBeginsAnywhereLater(t *testing.T) {
	t.Parallel()
	pool := wholeDatabase(t)
	must.Get(pool.Exec(t.Context(), `INSERT INTO log.partial_history (after_seq) VALUES (5)`))(t)
	posts := []replay.Post{genesis(empty), stacks("a3", "a2", "4a"), stacks("a4", "a3", "5a"), stacks("a5", "a4", "6a"), stacks("a6", "a5", "7a"), bitcoin("8a", "7a"), stacks("a7", "a6", "8a")}
	check(t, pool, chain.Recommended, state{chain: "a3 a4 a5 a6 a7", steps: "+a3 +a4 +a5 +a6 +a7", burn: "8a"}, posts...)
}

func TestHistoryFrom(t *testing.T) {
	t.Parallel()
	pool := databases.New(t)
	const none = -1
	for _, tc := range []struct {
		name  string
		posts []replay.Post
		want  int64
	}{
		{"genesis", []replay.Post{genesis(), stacks("a1", "genesis", "2a")}, none},
		{"an empty genesis", []replay.Post{genesis(empty), stacks("a1", "genesis", "2a")}, 0},
		{"an empty genesis that is filled", []replay.Post{genesis(empty), stacks("a1", "genesis", "2a"), genesis()}, none},
		{"above genesis", []replay.Post{stacks("a5", "a4", "6a")}, 5},
		{"extended down", []replay.Post{stacks("a2", "a1", "3a"), stacks("a1", "genesis", "2a"), genesis()}, none},
		{"genesis within block 1", []replay.Post{stacks("a1", "genesis", "2a", old, mined(coinbase, body.Boot(&transaction.Coinbase{})))}, none},
		{"block 1 without it", []replay.Post{stacks("a1", "genesis", "2a", old)}, 1},
	} {
		for _, batching := range batchings[:3] {
			replay.InTx(t, pool, func(tx pgx.Tx) {
				c := rig.Chain(t)
				got := int64(none)
				items := replay.Decode(t, tc.posts)
				for position := 0; position < len(items); position += batching.size {
					outcome := must.Get(c.Fold(t.Context(), tx, int64(position), items[position:min(position+batching.size, len(items))]))(t)
					if got = none; outcome.Tip.HistoryFrom != nil {
						got = *outcome.Tip.HistoryFrom
					}
					if batching.forget {
						c.Forget()
					}
				}
				if got != tc.want {
					t.Errorf("%s, %s: got %d, want %d", tc.name, batching.name, got, tc.want)
				}
			})
		}
	}
}

// Events of another network go to quarantine, wherever they come in, and whether or not the setting says which network the
// log is of.
func TestOtherNetwork(t *testing.T) {
	t.Parallel()
	main := elsewhere(transaction.Mainnet)
	private := elsewhere(transaction.Network{Version: transaction.VersionTestnet, ChainID: 0x80000005})
	home := []replay.Post{genesis(allocating("5")), bitcoin("2a", "1a"), stacks("a1", "genesis", "2a"), bitcoin("3a", "2a"), stacks("a2", "a1", "3a")}
	want := state{chain: "genesis a1 a2", steps: "+genesis +a1 +a2"}
	for _, tc := range []struct {
		name        string
		posts       []replay.Post
		quarantined string
	}{
		{"a higher chain", []replay.Post{stacks("b9", "b8", "4a", mined(main)), stacks("b10", "b9", "5a", mined(main))},
			"6/transactions/0/raw_tx 7/transactions/0/raw_tx"},
		{"a block that says nothing, on one of them", []replay.Post{stacks("b9", "b8", "4a", mined(main)), stacks("b10", "b9", "5a", empty)},
			"6/transactions/0/raw_tx 7/parent_index_block_hash"},
		{"with another chain id", []replay.Post{stacks("b9", "b8", "4a", mined(private))}, "6/transactions/0/raw_tx"},
		{"its genesis block, and Bitcoin blocks that nobody knows", []replay.Post{
			stacks("origin", "", "1b", mined(main), with(map[string]any{"block_height": 0})), bitcoin("9b", "8b"), bitcoin("4a", "3a"), stacks("a3", "a2", "4a")},
			"6/transactions/0/raw_tx 7/parent_burn_block_hash"},
		{"an empty genesis block of another chain", []replay.Post{stacks("origin", "", "1b", empty, with(map[string]any{"block_height": 0}))}, "6/index_block_hash"},
		{"its mempool", []replay.Post{{Path: "/new_mempool_tx", Body: fmt.Appendf(nil, `["0x%x"]`, main)}}, "6/0"},
	} {
		for _, own := range []transaction.Network{transaction.Testnet, transaction.Mainnet} {
			for _, pinned := range []bool{false, true} {
				t.Run(tc.name, func(t *testing.T) {
					pool := wholeDatabase(t)
					if pinned {
						must.Get(pool.Exec(t.Context(), `INSERT INTO log.network (name, chain_id) VALUES ($1, $2)`, own.Name(), int64(own.ChainID)))(t)
					}
					want := want
					want.quarantined = tc.quarantined
					if strings.Contains(tc.name, "Bitcoin") {
						want.chain, want.steps = "genesis a1 a2 a3", "+genesis +a1 +a2 +a3"
						want.burn = "2a 3a 4a"
					}
					posts := append(home[:len(home):len(home)], tc.posts...)
					if own == transaction.Mainnet {
						posts = swapped(posts)
					}
					check(t, pool, chain.Recommended, want, posts...)
				})
			}
		}
	}
}

// swapped returns posts with the transactions of mainnet and of testnet exchanged.
func swapped(posts []replay.Post) (all []replay.Post) {
	swap := strings.NewReplacer(`"0x8080000000`, `"0x0000000001`, `"0x0000000001`, `"0x8080000000`, `"0x8000000000`, `"0x0000000000`)
	for _, post := range posts {
		all = append(all, replay.Post{Path: post.Path, Body: []byte(swap.Replace(string(post.Body)))})
	}
	return all
}

// Whichever block of two networks comes before the genesis block, or right after it, the chain is that of its network.
func TestOtherNetworkFirst(t *testing.T) {
	t.Parallel()
	boot := genesis(mined(elsewhere(transaction.Network{Version: transaction.VersionTestnet})))
	own, other := stacks("a1", "genesis", "2a"), stacks("b1", "genesis", "2b", mined(elsewhere(transaction.Mainnet)))
	for _, posts := range [][]replay.Post{{boot, other, own}, {boot, own, other}, {own, boot, other}} {
		seq := 1 + slices.IndexFunc(posts, func(p replay.Post) bool { return string(p.Body) == string(other.Body) })
		want := state{chain: "genesis a1", steps: "+genesis +a1", quarantined: fmt.Sprintf("%d/transactions/0/raw_tx", seq)}
		check(t, wholeDatabase(t), chain.Recommended, want, posts...)
		check(t, wholeDatabase(t), chain.Recommended, want, swapped(posts)...)
	}
}

// attachments is the post of one attachment of each contract, all of block a1.
func attachments(contracts ...string) replay.Post {
	list := make([]string, len(contracts))
	for i, contract := range contracts {
		list[i] = fmt.Sprintf(`{"attachment_index": %d, "index_block_hash": "%s", "contract_id": "%s", "tx_id": "%s"}`, i, body.ID("a1"), contract, body.ID("tx"))
	}
	return replay.Post{Path: "/attachments/new", Body: []byte("[" + strings.Join(list, ",") + "]")}
}

// microblocks is the post of a microblock on block a2 with these transactions.
func microblocks(raw ...[]byte) replay.Post {
	list := make([]string, len(raw))
	for i, tx := range raw {
		list[i] = fmt.Sprintf(`{"txid": "%s", "tx_index": %d, "status": "success", "raw_result": "0x0703", "raw_tx": "0x%x",
			"microblock_hash": "%s", "microblock_sequence": 0, "microblock_parent_hash": "%s"}`, body.ID(fmt.Sprint(i)), i, tx, body.ID("m0"), body.ID("a2"))
	}
	return replay.Post{Path: "/new_microblocks", Body: fmt.Appendf(nil, `{"parent_index_block_hash": "%s", "transactions": [%s], "events": []}`, body.ID("a2"), strings.Join(list, ","))}
}

// Attachments and microblocks of another network, posted twice, go to quarantine and are counted, and leave nothing else. Of an event with attachments of both
// networks, those of the log's count.
func TestOtherNetworkBesideBlocks(t *testing.T) {
	t.Parallel()
	const own, other = "ST000000000000000000002AMW42H.bns", "SP000000000000000000002Q6VF78.bns"
	const unused = "S1G2081040G2081040G2081040G208105NK8PE5.bns" // an address of version 1, which no network has
	main := elsewhere(transaction.Mainnet)
	private := elsewhere(transaction.Network{Version: transaction.VersionTestnet, ChainID: 0x80000005})
	home := []replay.Post{genesis(), stacks("a1", "genesis", "2a"), stacks("a2", "a1", "3a", old)}
	for _, tc := range []struct {
		name                 string
		post                 replay.Post
		quarantined, counted string
		records, microblocks int
	}{
		{"own attachments", attachments(own, own), "", "", 2, 0},
		{"an address of no network", attachments(unused), "", "", 2, 0},
		{"foreign attachments", attachments(other, other), "4/0/contract_id 4/1/contract_id", "mainnet 4 5 2", 0, 0},
		{"both", attachments(other, own, other), "4/0/contract_id 4/2/contract_id", "mainnet 4 5 2", 2, 0},
		{"own microblocks", microblocks(coinbase), "", "", 0, 1},
		{"foreign microblocks", microblocks(main), "4/transactions/0/raw_tx", "mainnet (chain id 0x1) 4 5 2", 0, 0},
		{"with another chain id", microblocks(private, private), "4/transactions/0/raw_tx", "testnet (chain id 0x80000005) 4 5 2", 0, 0},
		{"after a transaction that tells none", microblocks(elsewhere(transaction.Network{Version: transaction.VersionTestnet}), main), "4/transactions/1/raw_tx", "mainnet (chain id 0x1) 4 5 2", 0, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			pool := wholeDatabase(t)
			posts := append(home[:len(home):len(home)], tc.post, tc.post)
			quarantined := strings.TrimSpace(tc.quarantined + " " + strings.ReplaceAll(tc.quarantined, "4/", "5/"))
			check(t, pool, chain.Recommended, state{chain: "genesis a1 a2", quarantined: quarantined}, posts...)
			replay.InTx(t, pool, func(tx pgx.Tx) {
				must.Do(t, foldUntilError(t, tx, posts, 1))
				got := strings.Join(replay.Texts(t, tx, schemas.In(`
					SELECT concat_ws(' ', network, first_seq, source_seq, events) FROM {chain}.foreign_network
					UNION ALL SELECT count(*)::text FROM {chain}.step WHERE record IS NOT NULL
					UNION ALL SELECT count(*)::text FROM {chain}.microblock`)), "; ")
				want := fmt.Sprintf("%d; %d", tc.records, tc.microblocks)
				if tc.counted != "" {
					want = tc.counted + "; " + want
				}
				if got != want {
					t.Errorf("networks, records and microblocks: got %q, want %q", got, want)
				}
			})
		})
	}
}

// Of very many foreign attachments in one event, the rest are counted in one row, as with those that can't be read.
func TestManyForeignAttachments(t *testing.T) {
	t.Parallel()
	contracts := make([]string, 150)
	for i := range contracts {
		contracts[i] = "SP000000000000000000002Q6VF78.bns"
	}
	pool := wholeDatabase(t)
	replay.InTx(t, pool, func(tx pgx.Tx) {
		must.Do(t, foldUntilError(t, tx, []replay.Post{genesis(), stacks("a1", "genesis", "2a"), attachments(contracts...)}, 1))
		if got := replay.Texts(t, tx, `SELECT count(*)::text FROM strata.quarantine WHERE seq = 3`); got[0] != "101" {
			t.Errorf("got %s rows in quarantine, want 101", got[0])
		}
	})
}

// Bitcoin blocks below the first one of the chain are of another network.
func TestBitcoinBelowGenesis(t *testing.T) {
	t.Parallel()
	posts := []replay.Post{genesis(with(map[string]any{"burn_block_height": 100})), oldBitcoin("2a")}
	check(t, wholeDatabase(t), chain.Recommended, state{chain: "genesis", quarantined: "2/burn_block_height"}, posts...)
}

// A copy of genesis that no chain can have is none of another chain.
func TestGenesisTwice(t *testing.T) {
	t.Parallel()
	twice := genesis(allocating("5", "7", "9"))
	twice.Body = bytes.Replace(twice.Body, []byte(`"event_index":2`), []byte(`"event_index":1`), 1)
	check(t, wholeDatabase(t), chain.Recommended, state{chain: "genesis a1", quarantined: "2/events/2/event_index"}, genesis(allocating("5", "7")), twice, stacks("a1", "genesis", "2a"))
}

// Two geneses of one network that contradict each other are two chains. Copies of one genesis differ in what a node leaves out.
func TestAnotherChain(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		second replay.Post
		stops  bool
	}{
		{"the same", genesis(allocating("5", "7")), false},
		{"in another order", genesis(allocating("7", "5")), false},
		{"empty", genesis(empty), false},
		{"without the events", genesis(allocating()), false},
		{"other amounts", genesis(allocating("5", "8")), true},
		{"one account more", genesis(allocating("5", "7", "9")), true},
		{"one account less", genesis(allocating("5")), true},
		{"another id", stacks("origin", "", "1a", allocating("5", "7"), with(map[string]any{"block_height": 0})), true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			pool := wholeDatabase(t)
			posts := []replay.Post{genesis(allocating("5", "7")), stacks("a1", "genesis", "2a"), tc.second, stacks("a2", "a1", "3a")}
			if !tc.stops {
				check(t, pool, chain.Recommended, state{chain: "genesis a1 a2"}, posts...)
				check(t, pool, chain.Recommended, state{chain: "genesis a1 a2"}, posts[2], posts[1], posts[0], posts[3])
				return
			}
			for size := 1; size <= len(posts); size++ {
				replay.InTx(t, pool, func(tx pgx.Tx) {
					if err := foldUntilError(t, tx, posts, size); !errors.Is(err, chain.ErrAnotherChain) {
						t.Errorf("%d at a time: got %v, want ErrAnotherChain", size, err)
					}
				})
			}
		})
	}
}

func foldUntilError(t *testing.T, tx pgx.Tx, posts []replay.Post, size int) error {
	t.Helper()
	c := rig.Chain(t)
	items := replay.Decode(t, posts)
	for position := 0; position < len(items); position += size {
		if _, err := c.Fold(context.WithoutCancel(t.Context()), tx, int64(position), items[position:min(position+size, len(items))]); err != nil {
			return err
		}
	}
	return nil
}
