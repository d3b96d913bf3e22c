package chain

import (
	"fmt"
	"math"
	"math/big"

	"github.com/jackc/pgx/v5/pgtype"

	"strata/domain/hash"
	"strata/domain/nodeevent"
	"strata/domain/transaction"
	"strata/projections"
)

// rows are the rows that a batch has collected and flush writes.
type rows struct {
	blocks       []blockRow
	transactions [][]any
	events       [][]any
	contracts    [][]any
	interfaces   []projections.FetchedInterface

	microblocks   []microblockRow
	confirmations [][]any

	updated []*node // changed blocks whose rows are in the table already

	steps     []stepRow
	canonical map[int64]canonicalRow // new canonical blocks by height
	vacated   map[int64]bool         // heights whose row must be deleted

	burnAnnounced []burnRow
	burnChanged   []*burnBlock // whose rows are in the table already

	narrow  []narrowRow
	unknown map[string]unknownField // by path

	gapsOpened []*node
	gapsClosed []hash.Hash32

	foreign     []foreignRow
	quarantined []projections.Quarantined
}

type blockRow struct {
	content *projections.Block
	node    *node
	cost    nodeevent.Cost
	events  int
}

// narrowRow is a copy of a block that is less complete than another one, or that lacks events by what it shows.
type narrowRow struct {
	seq     int64
	block   hash.Hash32
	content completeness
}

type canonicalRow struct{ block, source int64 }

type stepRow struct {
	projections.Step
	size int64 // of the event that holds the content
}

// values returns those of stepColumns.
func (r *stepRow) values() []any {
	var record any
	if r.RecordKind != 0 {
		record = int16(r.RecordKind)
	}
	return []any{r.Number, r.Height, r.BlockSeq, r.size, r.SourceSeq, int16(r.Kind), record, r.IndexBlockHash[:]}
}

var stepColumns = []string{"step", "height", "block_seq", "block_size", "source_seq", "kind", "record", "index_block_hash"}

type burnRow struct {
	payload *nodeevent.BurnBlock
	block   *burnBlock
}

type microblockRow struct {
	seq    int64
	parent hash.Hash32
	nodeevent.MicroblockPosition
	transactions int
}

// block adds the rows of an announced block. It adds nothing and returns an error if the block is unreadable.
func (r *rows) block(content *projections.Block, n *node) error {
	var (
		effective    = content.EffectiveEvents()
		transactions = make([][]any, 0, len(content.Transactions))
		events       [][]any
		contracts    [][]any
		total        nodeevent.Cost
	)
	for position, tx := range content.ExecutionOrder() {
		decoded := content.Decoded[tx.Index]
		transactions = append(transactions, transactionRow(content.Seq, position, tx, decoded, effective[tx.Index]))
		if !addCost(&total, tx.ExecutionCost) {
			return unreadable(tx.Pointer()+"/execution_cost", "costs whose sum is below 2^63", tx.ExecutionCost)
		}
		if row := contractRow(content.Seq, tx, decoded); row != nil {
			contracts = append(contracts, row)
		}
		for i, e := range effective[tx.Index] {
			row, err := eventRow(content.Seq, i, e)
			if err != nil {
				return err
			}
			events = append(events, row)
		}
	}
	for i := range content.MaturedRewards {
		reward := &content.MaturedRewards[i]
		if len(reward.Recipient) > nameMax {
			return unreadable(reward.Pointer()+"/recipient", nameWanted, reward.Recipient[:nameMax])
		}
	}
	r.transactions = append(r.transactions, transactions...)
	r.events = append(r.events, events...)
	r.contracts = append(r.contracts, contracts...)
	if lacksEvents(content, effective) {
		r.narrow = append(r.narrow, narrowRow{content.Seq, n.id, n.content})
	}
	r.addConfirmed(content)
	r.blocks = append(r.blocks, blockRow{content: content, node: n, cost: total, events: len(events)})
	return nil
}

// addConfirmed adds the microblocks whose transactions the block contains.
func (r *rows) addConfirmed(content *projections.Block) {
	seen := map[hash.Hash32]int{} // index in r.microblocks
	for i := range content.Transactions {
		m := content.Transactions[i].Microblock
		if m == nil {
			continue
		}
		if index, ok := seen[m.Hash]; ok {
			r.microblocks[index].transactions++
			continue
		}
		seen[m.Hash] = len(r.microblocks)
		r.microblocks = append(r.microblocks, microblockRow{seq: content.Seq, parent: content.ParentIndexBlockHash, MicroblockPosition: *m, transactions: 1})
		r.confirmations = append(r.confirmations, []any{content.Seq, m.Sequence, m.Hash[:]})
	}
}

// addStreamed adds microblocks that no block has confirmed yet.
func (r *rows) addStreamed(seq int64, payload *nodeevent.Microblocks) {
	for _, m := range payload.Stream() {
		r.microblocks = append(r.microblocks, microblockRow{seq: seq, parent: payload.ParentIndexBlockHash, MicroblockPosition: m.MicroblockPosition, transactions: len(m.Transactions)})
	}
}

func (r *rows) addBurnBlock(payload *nodeevent.BurnBlock, block *burnBlock) {
	r.burnAnnounced = append(r.burnAnnounced, burnRow{payload, block})
}

func (r *rows) apply(n *node, cause, step int64) {
	if r.canonical == nil {
		r.canonical = map[int64]canonicalRow{}
	}
	r.canonical[n.height] = canonicalRow{block: n.seq, source: cause}
	r.step(n, cause, step, projections.Apply)
}

func (r *rows) revert(n *node, cause, step int64) {
	if r.vacated == nil {
		r.vacated = map[int64]bool{}
	}
	r.vacated[n.height] = true
	delete(r.canonical, n.height)
	r.step(n, cause, step, projections.Revert)
}

func (r *rows) step(n *node, cause, step int64, kind projections.StepKind) {
	r.steps = append(r.steps, stepRow{projections.Step{
		Number: step, Kind: kind, Height: n.height, IndexBlockHash: n.id, BlockSeq: n.seq, SourceSeq: cause,
	}, n.size})
}

// record adds the step of a record. tip is nil before the first block.
func (r *rows) record(item projections.LogItem, tip *node, step int64) {
	r.recordStep(item.Seq, item.Size, item.Seq, projections.KindOf(item.Record), tip, step)
}

// bitcoin adds the step of a Bitcoin block that joins or leaves the followed fork.
func (r *rows) bitcoin(block *burnBlock, kind projections.RecordKind, cause int64, tip *node, step int64) {
	r.recordStep(block.seq, block.size, cause, kind, tip, step)
}

func (r *rows) recordStep(seq, size, cause int64, kind projections.RecordKind, tip *node, step int64) {
	height, id := int64(-1), hash.Hash32{}
	if tip != nil {
		height, id = tip.height, tip.id
	}
	r.steps = append(r.steps, stepRow{projections.Step{
		Number: step, Kind: projections.TakeRecord, RecordKind: kind, Height: height, IndexBlockHash: id, BlockSeq: seq, SourceSeq: cause,
	}, size})
}

func addCost(sum *nodeevent.Cost, c nodeevent.Cost) bool {
	for _, term := range []struct {
		sum *uint64
		c   uint64
	}{
		{&sum.ReadCount, c.ReadCount}, {&sum.ReadLength, c.ReadLength}, {&sum.Runtime, c.Runtime},
		{&sum.WriteCount, c.WriteCount}, {&sum.WriteLength, c.WriteLength},
	} {
		if term.c > math.MaxInt64 || *term.sum+term.c > math.MaxInt64 {
			return false
		}
		*term.sum += term.c
	}
	return true
}

// transactionRow returns the values of transactionColumns.
func transactionRow(seq int64, position int, tx *nodeevent.Transaction, decoded *transaction.Transaction, events []*nodeevent.Event) []any {
	var (
		typeID, nonce, sponsorNonce           any
		sender, sponsor, contractID, function *string
		fee                                   any = int64(0)
		op                                    *string
		sequence                              any
		microblock                            []byte
	)
	if decoded != nil {
		typeID = int16(decoded.Payload.ID())
		fee, nonce = unsigned(decoded.Fee()), unsigned(decoded.Nonce())
		sender = projections.NullText(decoded.Sender().String())
		if decoded.Sponsored() {
			sponsor = projections.NullText(decoded.FeePayer().String())
			n, _ := decoded.SponsorNonce()
			sponsorNonce = unsigned(n)
		}
		contractID, function = calledContract(decoded)
	} else {
		sender = projections.NullText(burnchainSender(tx, events))
	}
	if tx.BurnchainOp != nil {
		op = projections.NullText(string(tx.BurnchainOp.Raw))
	}
	if m := tx.Microblock; m != nil {
		sequence, microblock = int32(m.Sequence), m.Hash[:]
	}
	var vmError *string
	if tx.VMError != nil {
		text := projections.Text(*tx.VMError)
		vmError = &text
	}
	c := tx.ExecutionCost
	return []any{
		seq, int32(tx.Index), int32(position), int32(len(events)), sequence, typeID, nonce, sponsorNonce, fee,
		int64(c.ReadCount), int64(c.ReadLength), int64(c.Runtime), int64(c.WriteCount), int64(c.WriteLength),
		tx.TxID[:], projections.Text(string(tx.Status)), sender, sponsor, contractID, function,
		orEmpty(tx.RawResult), orEmpty(tx.RawTx), microblock, vmError, op,
	}
}

var transactionColumns = []string{
	"source_seq", "tx_index", "execution_index", "event_count", "microblock_sequence", "type_id", "nonce", "sponsor_nonce", "fee",
	"execution_cost_read_count", "execution_cost_read_length", "execution_cost_runtime", "execution_cost_write_count", "execution_cost_write_length",
	"txid", "status", "sender", "sponsor", "contract_id", "function_name",
	"raw_result", "raw_tx", "microblock_hash", "vm_error", "burnchain_op",
}

// calledContract returns the contract that a transaction calls or deploys, and the function that it calls.
func calledContract(tx *transaction.Transaction) (contractID, function *string) {
	if contract, ok := tx.Deploys(); ok {
		return projections.NullText(contract.String()), nil
	}
	if call, ok := tx.Payload.(*transaction.ContractCall); ok {
		return projections.NullText(call.Contract.String()), projections.NullText(call.Function)
	}
	return nil, nil
}

// burnchainSender returns the sender of an operation from Bitcoin, as its events or the operation itself name it. It is
// empty for a rejected operation that an old node announced without saying who sent it.
func burnchainSender(tx *nodeevent.Transaction, events []*nodeevent.Event) string {
	for _, e := range events {
		switch data := e.Data.(type) {
		case *nodeevent.STXTransfer:
			return data.Sender
		case *nodeevent.STXLock:
			return data.Address
		}
	}
	if op := tx.BurnchainOp; op != nil {
		switch {
		case op.TransferSTX != nil:
			return op.TransferSTX.Sender.Address
		case op.StackSTX != nil:
			return op.StackSTX.Sender.Address
		case op.DelegateSTX != nil:
			return op.DelegateSTX.Sender.Address
		case op.VoteForAggregateKey != nil:
			return op.VoteForAggregateKey.Sender.Address
		}
	}
	return ""
}

// contractRow returns the values of contractColumns, or nil for a transaction that did not deploy a contract.
func contractRow(seq int64, tx *nodeevent.Transaction, decoded *transaction.Transaction) []any {
	if decoded == nil || !tx.Succeeded() {
		return nil
	}
	var (
		code    []byte
		version any
	)
	switch deploy := decoded.Payload.(type) {
	case *transaction.SmartContract:
		code = deploy.Code
	case *transaction.VersionedSmartContract:
		code, version = deploy.Code, int16(deploy.ClarityVersion)
	default:
		return nil
	}
	contract, _ := decoded.Deploys()
	return []any{
		seq, int32(tx.Index), version, projections.Text(contract.String()), projections.Text(string(code)),
		projections.NullText(string(tx.ContractInterface)),
	}
}

var contractColumns = []string{"source_seq", "tx_index", "clarity_version", "contract_id", "source_code", "interface"}

// nameMax is the maximum length of principals and asset identifiers, in bytes. The longest that a chain can have are
// 300 long. Longer names go to quarantine: a projection would stop at one that its index can't hold.
const nameMax = 512

var (
	nameWanted    = fmt.Sprintf("principals and asset identifiers of at most %d bytes", nameMax)
	addressWanted = fmt.Sprintf("an address of at most %d bytes", nameMax)
)

// eventRow returns the values of eventColumns.
func eventRow(seq int64, number int, e *nodeevent.Event) ([]any, error) {
	var (
		unlock                                    any
		amount                                    *big.Int
		asset, contract, topic, sender, recipient string
		value, memo                               []byte
	)
	switch data := e.Data.(type) {
	case *nodeevent.STXTransfer:
		sender, recipient, amount, memo = data.Sender, data.Recipient, data.Amount, data.Memo
	case *nodeevent.STXMint:
		recipient, amount = data.Recipient, data.Amount
	case *nodeevent.STXBurn:
		sender, amount = data.Sender, data.Amount
	case *nodeevent.STXLock:
		if data.UnlockHeight > math.MaxInt64 {
			return nil, unreadable(e.Pointer()+"/stx_lock_event/unlock_height", "a number below 2^63", data.UnlockHeight)
		}
		sender, amount, contract, unlock = data.Address, data.Amount, data.Contract, int64(data.UnlockHeight)
	case *nodeevent.FTTransfer:
		asset, sender, recipient, amount = data.Asset, data.Sender, data.Recipient, data.Amount
	case *nodeevent.FTMint:
		asset, recipient, amount = data.Asset, data.Recipient, data.Amount
	case *nodeevent.FTBurn:
		asset, sender, amount = data.Asset, data.Sender, data.Amount
	case *nodeevent.NFTTransfer:
		asset, sender, recipient, value = data.Asset, data.Sender, data.Recipient, data.RawValue
	case *nodeevent.NFTMint:
		asset, recipient, value = data.Asset, data.Recipient, data.RawValue
	case *nodeevent.NFTBurn:
		asset, sender, value = data.Asset, data.Sender, data.RawValue
	case *nodeevent.ContractEvent:
		contract, topic, value = data.Contract, data.Topic, data.RawValue
	}
	for _, name := range []string{asset, contract, sender, recipient} {
		if len(name) > nameMax {
			return nil, unreadable(e.Pointer()+"/"+e.Type, nameWanted, name[:nameMax])
		}
	}
	return []any{
		seq, int32(e.Tx), int32(number), int32(e.Index), unlock, projections.Amount(amount), projections.Text(e.Type),
		projections.NullText(asset), projections.NullText(contract), projections.NullText(topic),
		projections.NullText(sender), projections.NullText(recipient), value, memo,
	}, nil
}

var eventColumns = []string{
	"source_seq", "tx_index", "event_index", "pointer", "unlock_height", "amount", "type",
	"asset_identifier", "contract_identifier", "topic", "sender", "recipient", "value", "memo",
}

// unsigned returns the value of a numeric column for a number that may not fit into a bigint.
func unsigned(u uint64) any {
	if u <= math.MaxInt64 {
		return int64(u)
	}
	return pgtype.Numeric{Int: new(big.Int).SetUint64(u), Valid: true}
}

func orEmpty(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
