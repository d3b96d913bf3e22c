package chain

import (
	"context"
	"crypto/md5" //nolint:gosec // compares two lists that Postgres and this program write; nobody gains by a collision
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"strata/domain/hash"
	"strata/domain/nodeevent"
	"strata/domain/transaction"
	"strata/eventstore/network"
	"strata/internal/wholeness"
	"strata/projections"
)

// foreignError is the error of an event of another chain than the log's. The event goes to quarantine, and its network is
// listed in foreign_network.
type foreignError struct {
	*nodeevent.FieldError
	network string
}

func (e foreignError) Unwrap() error { return e.FieldError }

// ErrAnotherChain means that a node has announced the genesis block of another chain of the same network: a developer's
// network was started again, or a testnet was reset. Both chains can't be folded into the same tables.
var ErrAnotherChain = errors.New(wholeness.AnotherChain + ": its genesis block contradicts the one in the log. " +
	"Use a new database for the new chain, or empty this one: strata reset --keep-log-as FILE")

// identify returns a foreignError for an event of another chain than the log's. A transaction says which network it is for,
// genesis blocks differ in their ids, and Bitcoin blocks are linked to each other. For attachments, see identifyAttachments.
func (b *batch) identify(ctx context.Context, item projections.LogItem) error {
	switch payload := item.Payload.(type) {
	case *nodeevent.Block:
		if payload.IsGenesis() {
			return b.identifyGenesis(ctx, item.Block)
		}
		if tx := firstOf(item.Block); tx != nil {
			return b.identifyTransaction(ctx, "/transactions/0/raw_tx", tx)
		}
		return b.identifySilent(ctx, item.Block)
	case *nodeevent.BurnBlock:
		return b.identifyBitcoin(ctx, payload)
	case *nodeevent.Microblocks:
		return b.identifyMicroblocks(ctx, payload)
	}
	if announced, ok := item.Record.(*projections.Announcement); ok && len(announced.Transactions) > 0 {
		return b.identifyTransaction(ctx, "/0", announced.Transactions[0].Transaction)
	}
	return nil
}

// identifyMicroblocks judges microblocks by the first transaction that names a network. Without one there is nothing to judge:
// only transactions make microblocks, and events are of transactions.
func (b *batch) identifyMicroblocks(ctx context.Context, payload *nodeevent.Microblocks) error {
	const begin = 5 // version and chain id; an operation that came from Bitcoin is shorter
	for i := range payload.Transactions {
		tx := &payload.Transactions[i]
		if len(tx.RawTx) < begin {
			continue
		}
		n := transaction.Network{Version: transaction.Version(tx.RawTx[0]), ChainID: binary.BigEndian.Uint32(tx.RawTx[1:begin])}
		if tells(n) {
			return b.identifyNetwork(ctx, tx.Pointer()+"/raw_tx", n)
		}
	}
	return nil
}

// identifyAttachments judges each attachment by the address of its contract. It adds the foreign ones to the damaged parts of
// the event, and reports whether nothing else is left of it. The address does not tell two networks of testnet's addresses
// apart; nor need it, as an attachment counts for what its hash stands for. Its block tells nothing: a node may find an
// attachment whose block is below the first one of the log.
func (b *batch) identifyAttachments(ctx context.Context, item *projections.LogItem) (foreign bool, err error) {
	attachments, ok := item.Record.(*nodeevent.Attachments)
	if !ok {
		return false, nil
	}
	mainnet, known, err := b.addresses(ctx)
	if err != nil || !known {
		return false, err
	}
	var others []*nodeevent.FieldError
	for i := range attachments.List {
		a := &attachments.List[i]
		if of, tells := projections.MainnetContract(a.ContractID); tells && of != mainnet {
			others = append(others, &nodeevent.FieldError{
				Path: fmt.Sprintf("/%d/contract_id", a.Index), Want: "a contract of " + addressesName(mainnet), Got: a.ContractID,
			})
		}
	}
	if len(others) == 0 {
		return false, nil
	}
	item.Damaged = slices.Concat(item.Damaged, others)
	b.countForeign(item.Seq, addressesName(!mainnet))
	return len(others) == len(attachments.List), nil
}

// addresses reports whether the addresses of the log's network are those of mainnet.
func (b *batch) addresses(ctx context.Context) (mainnet, known bool, err error) {
	if log := b.state.network; log != nil {
		return log.Version.Mainnet(), true, nil
	}
	return b.genesisVersion(ctx)
}

// addressesName names the networks with addresses of mainnet, or those with the others.
func addressesName(mainnet bool) string {
	if mainnet {
		return transaction.Mainnet.Name()
	}
	return transaction.Testnet.Name()
}

// firstOf returns the first transaction of a block that did not come from Bitcoin; nil for none.
func firstOf(content *projections.Block) *transaction.Transaction {
	for _, tx := range content.Decoded {
		if tx != nil {
			return tx
		}
	}
	return nil
}

// identifySilent judges a block without a transaction that names a network. Where a node of another network posts, too, one
// whose parent is not known counts as a block of that network.
func (b *batch) identifySilent(ctx context.Context, content *projections.Block) error {
	if !b.state.foreign {
		return nil
	}
	if parent, err := b.node(ctx, content.ParentIndexBlockHash); err != nil || parent != nil {
		return err
	}
	return foreign(wholeness.UnknownNetwork, "/parent_index_block_hash", "a known block, as nodes of another network post here, too", "another one")
}

// identifyTransaction compares the network of a transaction with that of the log.
func (b *batch) identifyTransaction(ctx context.Context, pointer string, tx *transaction.Transaction) error {
	n := transaction.Network{Version: tx.Version, ChainID: tx.ChainID}
	if !tells(n) {
		return nil
	}
	return b.identifyNetwork(ctx, pointer, n)
}

// tells reports whether n, of a transaction, is a network. Boot transactions are for none.
func tells(n transaction.Network) bool {
	return n.ChainID != 0 && (n.Version == transaction.VersionMainnet || n.Version == transaction.VersionTestnet)
}

// identifyNetwork compares the network of a transaction with that of the log. The first transaction that names one decides
// which it is, if the settings have not, unless the genesis block is of another one.
func (b *batch) identifyNetwork(ctx context.Context, pointer string, n transaction.Network) error {
	if b.state.network == nil {
		if mainnet, known, err := b.genesisVersion(ctx); err != nil {
			return err
		} else if known && mainnet != n.Version.Mainnet() {
			return foreign(n.String(), pointer, addressesName(mainnet), n.String())
		}
		if err := b.settleNetwork(ctx, n); err != nil {
			return err
		}
	}
	if log := b.state.network; log != nil && *log != n {
		return foreign(n.String(), pointer, log.String(), n.String())
	}
	return nil
}

// settleNetwork makes n the network of the log, unless the log has one.
func (b *batch) settleNetwork(ctx context.Context, n transaction.Network) error {
	batch := &pgx.Batch{}
	batch.Queue(`INSERT INTO log.network (name, chain_id) VALUES ($1, $2) ON CONFLICT ((true)) DO NOTHING`, n.Name(), int64(n.ChainID))
	batch.Queue(`SELECT name, chain_id FROM log.network`).QueryRow(func(row pgx.Row) error {
		var name string
		var id int64
		err := row.Scan(&name, &id)
		b.state.network = networkOf(&name, &id)
		return err
	})
	if err := b.tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("write the network of the log: %w", err)
	}
	return nil
}

// networkOf returns the network with a name and a chain id, as log.network has them; nil for none.
func networkOf(name *string, chainID *int64) *transaction.Network {
	if name == nil || chainID == nil {
		return nil
	}
	n := network.New(*name, uint32(*chainID)) //nolint:gosec // the table has a check
	return &n
}

// genesisVersion reports whether the genesis block of the chain has addresses of mainnet. known is false without one, and for
// an empty one.
func (b *batch) genesisVersion(ctx context.Context) (mainnet, known bool, err error) {
	root := b.state.root
	if root == nil || root.height != 0 {
		return false, false, nil
	}
	if err := b.flush(ctx); err != nil {
		return false, false, err
	}
	var version []byte
	err = b.tx.QueryRow(ctx, b.sql(`SELECT substring(raw_tx FROM 1 FOR 1) FROM {schema}.transaction WHERE source_seq = $1 LIMIT 1`), root.seq).Scan(&version)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, false, nil
	}
	if err != nil {
		return false, false, fmt.Errorf("read the network of the genesis block: %w", err)
	}
	return len(version) == 1 && transaction.Version(version[0]).Mainnet(), len(version) == 1, nil
}

// identifyGenesis compares a genesis block with the network of the log, and with its genesis block.
func (b *batch) identifyGenesis(ctx context.Context, content *projections.Block) error {
	if tx, log := firstOf(content), b.state.network; tx != nil && log != nil && tx.Version.Mainnet() != log.Version.Mainnet() {
		name := transaction.Network{Version: tx.Version}.Name()
		return foreign(name, "/transactions/0/raw_tx", log.String(), name)
	}
	root := b.state.root
	if root == nil || root.height != 0 {
		return nil
	}
	if root.id != content.IndexBlockHash {
		if err := b.refuseAnotherGenesis(ctx, content); err != nil {
			return err
		}
		return foreign(wholeness.UnknownNetwork, "/index_block_hash", root.id.String(), content.IndexBlockHash.String())
	}
	announced := allocationsOf(content)
	if len(announced) == 0 { // narrow copies have no events; those of the chain's block may be hundreds of thousands
		return nil
	}
	here, there, err := b.allocations(ctx, root)
	if err != nil {
		return err
	}
	if here > 0 && there != digest(announced) {
		return fmt.Errorf("%w (its events of STX differ from those in event %d)", ErrAnotherChain, root.seq)
	}
	return nil
}

// refuseAnotherGenesis returns ErrAnotherChain if a genesis block other than the chain's is of the same network.
func (b *batch) refuseAnotherGenesis(ctx context.Context, content *projections.Block) error {
	mainnet, known, err := b.genesisVersion(ctx)
	if err != nil || !known {
		return err
	}
	if tx := firstOf(content); tx != nil && tx.Version.Mainnet() == mainnet {
		return fmt.Errorf("%w (it is block %s, not %s of event %d)", ErrAnotherChain, content.IndexBlockHash, b.state.root.id, b.state.root.seq)
	}
	return nil
}

// allocations returns the number and the digest of the STX events of a block in the table. A node that leaves out some kinds of
// events has all of the others, so two copies of a genesis block have the same STX events, or one has none.
func (b *batch) allocations(ctx context.Context, n *node) (events int64, sum string, err error) {
	if err := b.flush(ctx); err != nil {
		return 0, "", err
	}
	err = b.tx.QueryRow(ctx, b.sql(`
		SELECT count(*), coalesce(md5(string_agg(line, E'\n' ORDER BY line COLLATE "C")), '')
		FROM (SELECT concat_ws(' ', type, sender, recipient, amount::text) AS line FROM {schema}.event
		      WHERE source_seq = $1 AND type LIKE 'stx\_%') l`), n.seq).Scan(&events, &sum)
	if err != nil {
		return 0, "", fmt.Errorf("read the events of the genesis block: %w", err)
	}
	return events, sum, nil
}

// allocationsOf returns the STX events of a block, each as a line.
func allocationsOf(content *projections.Block) (lines []string) {
	line := func(kind string, names []string, amount *big.Int) {
		parts := []string{kind}
		for _, name := range names {
			if name != "" {
				parts = append(parts, projections.Text(name))
			}
		}
		lines = append(lines, strings.Join(append(parts, amount.String()), " "))
	}
	for _, events := range content.EffectiveEvents() {
		for _, e := range events {
			switch data := e.Data.(type) {
			case *nodeevent.STXTransfer:
				line(e.Type, []string{data.Sender, data.Recipient}, data.Amount)
			case *nodeevent.STXMint:
				line(e.Type, []string{data.Recipient}, data.Amount)
			case *nodeevent.STXBurn:
				line(e.Type, []string{data.Sender}, data.Amount)
			case *nodeevent.STXLock:
				line(e.Type, []string{data.Address}, data.Amount)
			}
		}
	}
	return lines
}

func digest(lines []string) string {
	slices.Sort(lines)
	sum := md5.Sum([]byte(strings.Join(lines, "\n"))) //nolint:gosec // as above
	return hex.EncodeToString(sum[:])
}

// identifyBitcoin compares a Bitcoin block with those that are known. Nothing in it names a network, and a log may lack
// Bitcoin blocks. But where a node of another network posts, too, a block whose parent is not known may be of that network.
func (b *batch) identifyBitcoin(ctx context.Context, payload *nodeevent.BurnBlock) error {
	root := b.state.root
	if root != nil && root.height == 0 && payload.Height < uint64(root.burnHeight) {
		return foreign(wholeness.UnknownNetwork, "/burn_block_height", fmt.Sprintf("%d or more, as the genesis block says", root.burnHeight), fmt.Sprint(payload.Height))
	}
	if !b.state.foreign || payload.ParentHash == nil || root != nil && root.burnHash == *payload.ParentHash {
		return nil
	}
	if err := b.loadBurn(ctx, []hash.Hash32{payload.Hash, *payload.ParentHash}, nil); err != nil {
		return err
	}
	if len(b.state.burn.byHash[*payload.ParentHash]) == 0 && len(b.state.burn.byHash[payload.Hash]) == 0 {
		return foreign(wholeness.UnknownNetwork, "/parent_burn_block_hash", "a known Bitcoin block, as nodes of another network post here, too", "another one")
	}
	return nil
}

// foreign returns the error of an event of another network. want and got say by what it shows.
func foreign(network, pointer, want, got string) error {
	return foreignError{&nodeevent.FieldError{Path: pointer, Want: want, Got: got}, network}
}

// reject puts an event of another chain into quarantine, and counts it.
func (b *batch) reject(item projections.LogItem, err foreignError) {
	b.quarantine(item, err.FieldError)
	b.countForeign(item.Seq, err.network)
}

// countForeign counts an event that is of another network, or a part of which is.
func (b *batch) countForeign(seq int64, network string) {
	b.rows.foreign = append(b.rows.foreign, foreignRow{seq, network})
	b.state.foreign = true
	b.foreign++
}

// foreignRow is an event of another network.
type foreignRow struct {
	seq     int64
	network string
}

func (b *batch) writeForeign(ctx context.Context, r *rows) error {
	for _, row := range r.foreign {
		_, err := b.tx.Exec(ctx, b.sql(`
			INSERT INTO {schema}.foreign_network AS f (network, first_seq, source_seq, events) VALUES ($1, $2, $2, 1)
			ON CONFLICT (network) DO UPDATE SET source_seq = excluded.source_seq, events = f.events + 1`), row.network, row.seq)
		if err != nil {
			return fmt.Errorf("note that event %d is of another network: %w", row.seq, err)
		}
	}
	return nil
}
