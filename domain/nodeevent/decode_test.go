package nodeevent_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"strata/domain/hash"
	"strata/domain/nodeevent"
	"strata/domain/transaction"
	"strata/internal/testkit/must"
)

func ptr[T any](v T) *T { return &v }

// same compares values of any depth. It compares what pointers and big.Ints hold.
func same(t *testing.T, name string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		g, _ := json.Marshal(got)
		w, _ := json.Marshal(want)
		t.Errorf("%s: got %s (%+v), want %s (%+v)", name, g, got, w, want)
	}
}

func TestBlockOfTheFirstReleases(t *testing.T) {
	t.Parallel()
	got := decodeAs[*nodeevent.Block](t, "/new_block", block20)
	want := &nodeevent.Block{
		BlockHash: h32(t, "01"), IndexBlockHash: h32(t, "02"), ParentIndexBlockHash: h32(t, "03"), ParentBlockHash: h32(t, "05"),
		Height: 7, BurnBlockHash: h32(t, "04"), BurnBlockHeight: 700, BurnBlockTime: 1610645304, MinerTxID: h32(t, "06"),
		MaturedRewards: []nodeevent.MinerReward{},
		Receipts: nodeevent.Receipts{
			Events:       []nodeevent.Event{},
			Transactions: []nodeevent.Transaction{{TxID: h32(t, "aa"), Status: nodeevent.StatusSuccess, RawTx: []byte{1, 2}, RawResult: []byte{7, 3}, ContractInterface: json.RawMessage(`{}`)}},
		},
	}
	same(t, "block", got, want)
	if got.IsNakamoto() || got.IsGenesis() || got.HasMergedGenesis() {
		t.Errorf("got nakamoto %v genesis %v merged %v, want none", got.IsNakamoto(), got.IsGenesis(), got.HasMergedGenesis())
	}
}

func TestBlockWithMicroblocks(t *testing.T) {
	t.Parallel()
	b := decodeAs[*nodeevent.Block](t, "/new_block/", block205)
	cost := nodeevent.Cost{ReadCount: 1, ReadLength: 2, Runtime: 3, WriteCount: 4, WriteLength: 5}
	same(t, "anchored cost", b.AnchoredCost, &cost)
	same(t, "microblocks cost", b.ConfirmedMicroblocksCost, &nodeevent.Cost{})
	same(t, "tx cost", b.Transactions[0].ExecutionCost, cost)
	same(t, "parent burn block", []any{b.ParentBurnBlockHash, b.ParentBurnBlockHeight, b.ParentBurnBlockTime}, []any{ptr(h32(t, "07")), ptr(uint64(699)), ptr(uint64(1600000000))})
	same(t, "parent microblock", []any{b.ParentMicroblock, b.ParentMicroblockSequence}, []any{h32(t, "c0"), ptr(uint16(1))})
	same(t, "anchored tx", b.Transactions[0].Microblock, (*nodeevent.MicroblockPosition)(nil))
	same(t, "microblock tx", b.Transactions[1].Microblock, &nodeevent.MicroblockPosition{Sequence: 1, Hash: h32(t, "c0"), ParentHash: h32(t, "b0")})

	var order []hash.Hash32
	for _, tx := range b.ExecutionOrder() {
		order = append(order, tx.TxID)
	}
	same(t, "execution order", order, []hash.Hash32{h32(t, "bb"), h32(t, "cc"), h32(t, "aa")})

	max128, _ := new(big.Int).SetString("340282366920938463463374607431768211455", 10)
	same(t, "events", b.Events, []nodeevent.Event{
		{Index: 1, EventIndex: 0, TxID: h32(t, "aa"), Tx: 0, Committed: true, Type: "stx_lock_event", Data: &nodeevent.STXLock{Address: "SP1", Amount: max128, UnlockHeight: 1000}},
		{Index: 2, EventIndex: 1, TxID: h32(t, "bb"), Tx: 2, Committed: true, Type: "nft_mint_event", Data: &nodeevent.NFTMint{Asset: "SP1.c::n", Recipient: "SP1", RawValue: []byte{7, 3}}},
		{Index: 0, EventIndex: 3, TxID: h32(t, "aa"), Tx: 0, Committed: true, Type: "stx_transfer_event", Data: &nodeevent.STXTransfer{Sender: "SP1", Recipient: "SP2", Amount: big.NewInt(5)}},
	})

	same(t, "reward", b.MaturedRewards[0], nodeevent.MinerReward{
		Recipient: "SP1", Coinbase: big.NewInt(1000000000), FeesAnchored: big.NewInt(300), FeesStreamedConfirmed: big.NewInt(60),
		FeesStreamedProduced: new(big.Int), FromBlockHash: h32(t, "10"), FromIndexBlockHash: h32(t, "11"),
	})
	if got, want := b.MaturedRewards[0].Total().String()+" "+b.MaturedRewards[1].Total().String(), "1000000360 40"; got != want {
		t.Errorf("totals: got %s, want %s", got, want)
	}
	if got, want := b.MaturedRewards[1].Pointer(), "/matured_miner_rewards/1"; got != want || b.MaturedRewards[1].MinerAddress != "SP3" {
		t.Errorf("got %s %+v", got, b.MaturedRewards[1])
	}
}

func TestNakamotoBlock(t *testing.T) {
	t.Parallel()
	b := decodeAs[*nodeevent.Block](t, "/new_block", block30)
	if !b.IsNakamoto() {
		t.Error("not recognised as Nakamoto")
	}
	same(t, "time", b.Time, ptr(uint64(1730000000)))
	same(t, "consensus hash", b.ConsensusHash.String(), "0x"+strings.Repeat("cc", 20))
	same(t, "unlock heights", []*uint64{b.PoxV1UnlockHeight, b.PoxV2UnlockHeight, b.PoxV3UnlockHeight, b.PoxV4UnlockHeight},
		[]*uint64{ptr(uint64(781552)), ptr(uint64(787652)), ptr(uint64(840361)), ptr(uint64(4294967295))})
	same(t, "tenure and cycle", []*uint64{b.TenureHeight, b.CycleNumber}, []*uint64{ptr(uint64(5)), ptr(uint64(84))})
	same(t, "signatures", []any{b.SignerSignatureHash, b.MinerSignature, b.SignerSignatures},
		[]any{ptr(h32(t, "01")), bytes.Repeat([]byte{0x55}, 65), [][]byte{bytes.Repeat([]byte{0x66}, 65)}})
	bits := must.Get(b.SignerBits())(t)
	same(t, "bits", bits, []bool{true, false, true, true, true, true})

	same(t, "reward set", b.RewardSet, &nodeevent.RewardSet{
		RewardedAddresses: []nodeevent.BitcoinAddress{{Text: "bc1q"}, {Raw: json.RawMessage(`{"Standard":[{"bytes":"00","version":22},"SerializeP2PKH"]}`)}},
		Signers:           []nodeevent.Signer{{SigningKey: bytes.Repeat([]byte{2}, 33), Stacked: big.NewInt(100), Weight: 3}},
		PoxThreshold:      big.NewInt(50000000000),
		MissedRewardSlots: []json.RawMessage{json.RawMessage(`[{"a":1},18446744073709551616]`)},
	})

	first := b.Transactions[0]
	same(t, "transaction", first, nodeevent.Transaction{
		TxID: h32(t, "aa"), Status: "success", RawTx: []byte{1, 2}, RawResult: []byte{7, 3},
		ContractInterface: json.RawMessage(`{"functions":[]}`), VMError: ptr("a\x00\nb"), ProblematicSkipped: ptr(uint8(4)),
	})
	if b.Transactions[2].Succeeded() || b.Transactions[2].Status != "a_new_status" || b.Transactions[2].TxIndex != 2 || b.Transactions[2].Pointer() != "/transactions/2" {
		t.Errorf("got %+v", b.Transactions[2])
	}

	// The events are numbered in each transaction, without uncommitted events and events of failed transactions.
	effective := b.EffectiveEvents()
	var got [][]any
	for _, list := range effective {
		var data []any
		for _, e := range list {
			data = append(data, e.Data)
		}
		got = append(got, data)
	}
	memo := bytes.Repeat([]byte{0x41}, 34)
	same(t, "effective events", got, [][]any{
		{
			&nodeevent.STXTransfer{Sender: "SP1", Recipient: "SP2", Amount: big.NewInt(12), Memo: memo},
			&nodeevent.STXTransfer{Sender: "SP1", Recipient: "SP2", Amount: big.NewInt(12), Memo: []byte{}},
			&nodeevent.FTTransfer{Asset: "SP1.c::t", Sender: "SP1", Recipient: "SP2", Amount: big.NewInt(12)},
		},
		nil,
		nil,
		{
			&nodeevent.UnknownEvent{Raw: json.RawMessage(`{"var":[1,2]}`)},
			&nodeevent.ContractEvent{Contract: "SP1.c", Topic: "print", RawValue: []byte{7, 3}},
		},
	})
	if last := effective[3][1]; last.Pointer() != "/events/0" || last.Tx != 3 || last.EventIndex != 9 {
		t.Errorf("got %+v", last)
	}
}

var one = big.NewInt(1)

// eventData has an event of each type.
var eventData = []struct {
	kind, data string
	want       nodeevent.EventData
}{
	{nodeevent.TypeSTXTransfer, `{"sender":"A","recipient":"B","amount":1,"memo":null}`, &nodeevent.STXTransfer{Sender: "A", Recipient: "B", Amount: one}},
	{nodeevent.TypeSTXMint, `{"recipient":"B","amount":"1"}`, &nodeevent.STXMint{Recipient: "B", Amount: one}},
	{nodeevent.TypeSTXBurn, `{"sender":"A","amount":"1"}`, &nodeevent.STXBurn{Sender: "A", Amount: one}},
	{nodeevent.TypeSTXLock, `{"locked_address":"A","locked_amount":"1","unlock_height":9,"contract_identifier":"SP1.pox-4"}`, &nodeevent.STXLock{Address: "A", Amount: one, UnlockHeight: 9, Contract: "SP1.pox-4"}},
	{nodeevent.TypeFTTransfer, `{"asset_identifier":"X","sender":"A","recipient":"B","amount":"1"}`, &nodeevent.FTTransfer{Asset: "X", Sender: "A", Recipient: "B", Amount: one}},
	{nodeevent.TypeFTMint, `{"asset_identifier":"X","recipient":"B","amount":"1"}`, &nodeevent.FTMint{Asset: "X", Recipient: "B", Amount: one}},
	{nodeevent.TypeFTBurn, `{"asset_identifier":"X","sender":"A","amount":"1"}`, &nodeevent.FTBurn{Asset: "X", Sender: "A", Amount: one}},
	{nodeevent.TypeNFTTransfer, `{"asset_identifier":"X","sender":"A","recipient":"B","raw_value":"0x01"}`, &nodeevent.NFTTransfer{Asset: "X", Sender: "A", Recipient: "B", RawValue: []byte{1}}},
	{nodeevent.TypeNFTMint, `{"asset_identifier":"X","recipient":"B","raw_value":"01"}`, &nodeevent.NFTMint{Asset: "X", Recipient: "B", RawValue: []byte{1}}},
	{nodeevent.TypeNFTBurn, `{"asset_identifier":"X","sender":"A","raw_value":"0x01"}`, &nodeevent.NFTBurn{Asset: "X", Sender: "A", RawValue: []byte{1}}},
	{nodeevent.TypeContract, `{"contract_identifier":"X","topic":"print","raw_value":"0x01","value":[[[[1e999]]]]}`, &nodeevent.ContractEvent{Contract: "X", Topic: "print", RawValue: []byte{1}}},
	{"new_event", `[1, 2]`, &nodeevent.UnknownEvent{Raw: json.RawMessage(`[1, 2]`)}},
}

func TestEveryEventType(t *testing.T) {
	t.Parallel()
	for _, tt := range eventData {
		// The data may come before the type.
		before := `{"` + tt.kind + `" : ` + tt.data + `,"x":{"y":1},"type":"` + tt.kind + `","event_index":0,"txid":"` + h("aa") + `"}`
		for _, e := range []string{event("aa", "0", tt.kind, tt.data), before} {
			b := decodeAs[*nodeevent.Block](t, "/new_block", block(`"events":[`+e+`]`, `"transactions":[`+tx("aa")+`]`))
			same(t, tt.kind, b.Events[0].Data, tt.want)
			if !b.Events[0].Committed {
				t.Errorf("%s: not committed", tt.kind)
			}
		}
	}
}

func TestBurnchainOps(t *testing.T) {
	t.Parallel()
	b := decodeAs[*nodeevent.Block](t, "/new_block", burnOps)
	var ops []*nodeevent.BurnchainOp
	for i := range b.Transactions {
		if !transaction.IsBurnchainOp(b.Transactions[i].RawTx) {
			t.Errorf("transaction %d is not recognised as from Bitcoin", i)
		}
		ops = append(ops, b.Transactions[i].BurnchainOp)
	}
	position := nodeevent.BurnchainPosition{
		BurnBlockHeight: 1, BurnHeaderHash: h32(t, "ab"), BurnTxID: h32(t, "cd"), VtxIndex: 3,
	}
	address := nodeevent.OpAddress{Address: "SP1", Version: 22, HashBytes: hash.Hash20(bytes.Repeat([]byte{0x11}, 20))}
	big65, _ := new(big.Int).SetString("18446744073709551616", 10)
	rounded, _ := new(big.Int).SetString("340282366920938500000000000000000000000", 10)
	btc := nodeevent.BitcoinAddress{Text: "bc1q"}
	same(t, "transfer", ops[0].TransferSTX, &nodeevent.TransferSTXOp{
		BurnchainPosition: position, Sender: address, Recipient: address, Amount: big65, Memo: []byte("hi"),
	})
	same(t, "stack, pox-4", ops[1].StackSTX, &nodeevent.StackSTXOp{
		BurnchainPosition: position, Sender: address, RewardAddress: btc, Amount: big.NewInt(5), NumCycles: 12,
		SignerKey: bytes.Repeat([]byte{2}, 33), MaxAmount: rounded, AuthID: ptr(uint32(7)),
	})
	same(t, "stack", ops[2].StackSTX, &nodeevent.StackSTXOp{
		BurnchainPosition: position, Sender: address, RewardAddress: btc, Amount: big.NewInt(5), NumCycles: 12,
	})
	same(t, "delegate", ops[3].DelegateSTX, &nodeevent.DelegateSTXOp{
		BurnchainPosition: position, Sender: address, DelegateTo: address, Amount: big.NewInt(6), RewardAddress: &btc,
		RewardOutput: 1, UntilBurnHeight: ptr(uint64(900)),
	})
	same(t, "vote", ops[4].VoteForAggregateKey, &nodeevent.VoteForAggregateKeyOp{
		BurnchainPosition: position, Sender: address, AggregateKey: bytes.Repeat([]byte{3}, 33), RewardCycle: 8, Round: 1,
		SignerIndex: 2, SignerKey: []byte{2, 2},
	})
	same(t, "unknown", ops[5], &nodeevent.BurnchainOp{Kind: "a_new_op", Raw: json.RawMessage(`{"x":1}`)})
	same(t, "none", ops[6], (*nodeevent.BurnchainOp)(nil))
	if ops[3].Kind != "delegate_stx" || !json.Valid(ops[3].Raw) || !bytes.HasPrefix(ops[3].Raw, []byte(`{"burn_block_height"`)) {
		t.Errorf("got %s %s", ops[3].Kind, ops[3].Raw)
	}
}

func TestBurnBlock(t *testing.T) {
	t.Parallel()
	old := decodeAs[*nodeevent.BurnBlock](t, "/new_burn_block", burnBlock20)
	same(t, "2.0", old, &nodeevent.BurnBlock{Hash: hash.Hash32{31: 9}, Height: 666051, BurnAmount: 20000, RewardRecipients: []nodeevent.BurnPayout{}})
	got := decodeAs[*nodeevent.BurnBlock](t, "/new_burn_block", burnBlock33)
	consensus := must.Get(hash.Parse20(strings.Repeat("11", 20)))(t)
	same(t, "3.3", got, &nodeevent.BurnBlock{
		Hash: hash.Hash32{31: 9}, Height: 900000, ConsensusHash: &consensus, ParentHash: &hash.Hash32{31: 8},
		RewardRecipients:  []nodeevent.BurnPayout{{Recipient: "bc1q", Amount: 40000}, {Recipient: "1abc", Amount: 50000}},
		RewardSlotHolders: []string{"bc1q", "bc1q"},
		PoxTransactions:   []nodeevent.PoxCommitment{{TxID: hash.Hash32{31: 7}, Payouts: []nodeevent.BurnPayout{{Recipient: "bc1q", Amount: 40000, UTXOIndex: ptr(uint32(2))}}}},
	})
}

func TestMicroblocks(t *testing.T) {
	t.Parallel()
	m := decodeAs[*nodeevent.Microblocks](t, "/new_microblocks", microblocks)
	if m.ParentIndexBlockHash != h32(t, "02") || m.BurnBlockHash != h32(t, "04") || m.BurnBlockHeight != 700 || m.BurnBlockTime != 1620000000 {
		t.Errorf("got %+v", m)
	}
	same(t, "stream", m.Stream(), []nodeevent.Microblock{
		{MicroblockPosition: nodeevent.MicroblockPosition{Sequence: 0, Hash: h32(t, "b0"), ParentHash: h32(t, "01")}, Transactions: []*nodeevent.Transaction{&m.Transactions[2], &m.Transactions[1]}},
		{MicroblockPosition: nodeevent.MicroblockPosition{Sequence: 1, Hash: h32(t, "c0"), ParentHash: h32(t, "b0")}, Transactions: []*nodeevent.Transaction{&m.Transactions[0]}},
	})
	m.Transactions[0].Microblock = nil // as in the first releases
	if stream := m.Stream(); len(stream) != 1 || len(stream[0].Transactions) != 2 {
		t.Errorf("got %+v", stream)
	}
	if events := m.EffectiveEvents(); len(events[2]) != 1 || len(events[0])+len(events[1]) != 0 {
		t.Errorf("got %v", events)
	}
}

func TestMempool(t *testing.T) {
	t.Parallel()
	same(t, "new", decodeAs[*nodeevent.MempoolTx](t, "/new_mempool_tx", mempoolTx), &nodeevent.MempoolTx{RawTxs: [][]byte{{0, 1}, {0xff}}})
	same(t, "drop", decodeAs[*nodeevent.DropMempoolTx](t, "/drop_mempool_tx", dropTx),
		&nodeevent.DropMempoolTx{TxIDs: []hash.Hash32{{31: 7}}, Reason: nodeevent.DropReplaceByFee, NewTxID: &hash.Hash32{31: 8}})
	same(t, "drop, old", decodeAs[*nodeevent.DropMempoolTx](t, "/drop_mempool_tx", dropTxOld), &nodeevent.DropMempoolTx{Reason: "a_new_reason"})
}

func TestAttachments(t *testing.T) {
	t.Parallel()
	a := decodeAs[*nodeevent.Attachments](t, "/attachments/new", attachments)
	content := must.Get(hash.Parse20(strings.Repeat("11", 20)))(t)
	same(t, "attachments", a.List, []nodeevent.Attachment{
		{AttachmentIndex: 5, IndexBlockHash: hash.Hash32{31: 7}, BlockHeight: 123, ContractID: "SP1.bns", TxID: hash.Hash32{31: 8}, ContentHash: content, Metadata: []byte{0x0c}, Content: []byte("hi")},
		{Index: 1, AttachmentIndex: 6, IndexBlockHash: hash.Hash32{31: 7}, BlockHeight: 124, ContractID: "SP1.bns", TxID: hash.Hash32{31: 8}},
	})
}

func TestStackerDB(t *testing.T) {
	t.Parallel()
	same(t, "chunks", decodeAs[*nodeevent.StackerDBChunks](t, "/stackerdb_chunks", stackerDB), &nodeevent.StackerDBChunks{
		Contract: nodeevent.StackerDBContract{Name: "miners", Version: 26, Issuer: hash.Hash20{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 255}},
		Slots:    []nodeevent.StackerDBSlot{{ID: 1, Version: 2, Sig: []byte{0, 255}, Data: []byte("hi")}},
	})
	same(t, "as documented", decodeAs[*nodeevent.StackerDBChunks](t, "/stackerdb_chunks", stackerDBDoc), &nodeevent.StackerDBChunks{Contract: nodeevent.StackerDBContract{Text: "SP1.miners"}, Slots: []nodeevent.StackerDBSlot{}})
}

func TestProposalResponse(t *testing.T) {
	t.Parallel()
	rounded, _ := new(big.Int).SetString("18446744073709552000", 10)
	ok := decodeAs[*nodeevent.ProposalResponse](t, "/proposal_response", proposalOK)
	same(t, "ok", ok, &nodeevent.ProposalResponse{
		Result: "Ok", SignerSignatureHash: hash.Hash32{31: 9}, Cost: &nodeevent.Cost{Runtime: 7}, Size: ptr(uint64(180)),
		ValidationTimeMS: ptr(uint64(12)), ReplayTxHash: rounded, ReplayTxExhausted: ptr(true),
	})
	no := decodeAs[*nodeevent.ProposalResponse](t, "/proposal_response", proposalNo)
	same(t, "reject", no, &nodeevent.ProposalResponse{
		Result: "Reject", SignerSignatureHash: hash.Hash32{31: 9}, Reason: `Bad "block"`, ReasonCode: "BadBlockHash", FailedTxID: &hash.Hash32{31: 8},
	})
}

func TestOtherPathsAreNotParsed(t *testing.T) {
	t.Parallel()
	for _, path := range []string{nodeevent.PathMinedBlock, nodeevent.PathMinedMicroblock, nodeevent.PathMinedNakamotoBlock, "/a_new_path", "", "/"} {
		same(t, path, decodeAs[*nodeevent.Other](t, path, "not JSON"), &nodeevent.Other{Path: path})
	}
}

func TestPayloadDoesNotReferToBody(t *testing.T) {
	t.Parallel()
	for _, f := range fixtures {
		body := []byte(f.body)
		first := must.Get(nodeevent.Decode(f.path, body))(t)
		for i := range body {
			body[i] = 'x'
		}
		same(t, f.path, first, decodeAs[nodeevent.Payload](t, f.path, f.body))
	}
}

// fixtures are valid bodies. They are also the seeds of the fuzz targets.
var fixtures = []struct{ path, body string }{
	{"/new_block", block20}, {"/new_block", block205}, {"/new_block", block30}, {"/new_block", burnOps},
	{"/new_burn_block", burnBlock20}, {"/new_burn_block", burnBlock33}, {"/new_microblocks", microblocks},
	{"/new_mempool_tx", mempoolTx}, {"/drop_mempool_tx", dropTx}, {"/drop_mempool_tx", dropTxOld},
	{"/attachments/new", attachments}, {"/stackerdb_chunks", stackerDB}, {"/stackerdb_chunks", stackerDBDoc},
	{"/proposal_response", proposalOK}, {"/proposal_response", proposalNo},
}

func TestGenesis(t *testing.T) {
	t.Parallel()
	boot := func(id string) string {
		return strings.Replace(tx(id), `"0x0102"`, `"0x80800000000400`+strings.Repeat("00", 60)+`"`, 1)
	}
	announcedAgain := strings.Replace(block(`"transactions":[]`, `"events":[]`), `"block_height":7`, `"block_height":0`, 1)
	merged := strings.Replace(block(`"transactions":[`+tx("aa")+`,`+boot("bb")+`]`), `"block_height":7`, `"block_height":1`, 1)
	deployed := strings.Replace(block(`"transactions":[`+boot("bb")+`,`+tx("aa")+`]`), `"block_height":7`, `"block_height":1`, 1)
	for _, tt := range []struct {
		name, body      string
		genesis, merged bool
	}{
		{"announced again", announcedAgain, true, false},
		{"merged in block 1", merged, false, true},
		{"boot contracts of an epoch in block 1", deployed, false, false},
		{"boot transaction later", strings.Replace(merged, `"block_height":1`, `"block_height":9`, 1), false, false},
		{"ordinary block 1", strings.Replace(block20, `"block_height":7`, `"block_height":1`, 1), false, false},
	} {
		b := decodeAs[*nodeevent.Block](t, "/new_block", tt.body)
		if b.IsGenesis() != tt.genesis || b.HasMergedGenesis() != tt.merged {
			t.Errorf("%s: got genesis %v merged %v, want %v %v", tt.name, b.IsGenesis(), b.HasMergedGenesis(), tt.genesis, tt.merged)
		}
	}
}

func TestBoot(t *testing.T) {
	t.Parallel()
	for auth, want := range []bool{4: true, 5: true, 6: false} {
		raw := append([]byte{0x80, 0x80, 0, 0, 0, byte(auth)}, make([]byte, 22)...)
		if got, short := (&nodeevent.Transaction{RawTx: raw}).IsBoot(), (&nodeevent.Transaction{RawTx: raw[:27]}).IsBoot(); got != want || short {
			t.Errorf("authorization %d: got %v, want %v", auth, got, want)
		}
	}
}

func TestSignerBits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		hex, want string // want: one digit per bit, or error
	}{
		{"0006000000013f", "111111"},
		{"000800000001ff", "11111111"},
		{"000a0000000201020", "odd"},
		{"000a000000020102", "1000000001"},
		{"000000000000", ""},
		{"0006000000023f00", "error"},
		{"0009000000013f", "error"},
		{"00060000", "error"},
	} {
		payload, err := nodeevent.Decode("/new_block", []byte(block(`"signer_bitvec":"`+tt.hex+`"`)))
		if err != nil {
			if tt.want != "odd" {
				t.Errorf("%s: %v", tt.hex, err)
			}
			continue
		}
		b, _ := payload.(*nodeevent.Block)
		if !b.IsNakamoto() {
			t.Errorf("%s: not recognised as Nakamoto", tt.hex)
		}
		bits, err := b.SignerBits()
		var got strings.Builder
		for _, bit := range bits {
			got.WriteByte("01"[map[bool]int{true: 1}[bit]])
		}
		var field *nodeevent.FieldError
		if tt.want == "error" {
			if !errors.As(err, &field) || field.Path != "/signer_bitvec" {
				t.Errorf("%s: got %s %v, want an error", tt.hex, got.String(), err)
			}
		} else if err != nil || got.String() != tt.want {
			t.Errorf("%s: got %s %v, want %s", tt.hex, got.String(), err, tt.want)
		}
	}
	if bits, err := decodeAs[*nodeevent.Block](t, "/new_block", block20).SignerBits(); bits != nil || err != nil {
		t.Errorf("2.x block: got %v %v, want none", bits, err)
	}
}

func TestUnusualText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{`\ud800 x` + "\xff" + `y \u0001`: "\ufffd x\ufffdy \x01", "x\xff\xfey": "x\ufffdy"} {
		b := decodeAs[*nodeevent.Block](t, "/new_block", block(`"transactions":[`+tx("aa", `"vm_error":"`+text+`"`)+`]`))
		if got := *b.Transactions[0].VMError; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	escaped := strings.Replace(block20, `"block_height"`, `"block\u005fheight"`, 1)
	if got := decodeAs[*nodeevent.Block](t, "/new_block", escaped).Height; got != 7 {
		t.Errorf("a name with an escape: got height %d, want 7", got)
	}
	twice := block(`"block_height":8`)
	if got := decodeAs[*nodeevent.Block](t, "/new_block", twice).Height; got != 8 {
		t.Errorf("a repeated name: got %d, want the last one, 8", got)
	}
}
