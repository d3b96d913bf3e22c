package rosetta

import (
	"context"
	"encoding/hex"
	"errors"
	"reflect"
	"strings"

	"strata/domain/clarity"
	"strata/readapi/internal/engine"
	"strata/readapi/rosetta/internal/dialect"
	"strata/readapi/rosetta/internal/fault"
	"strata/readapi/rosetta/internal/ledger"
	"strata/readapi/rosetta/internal/wire"
)

// service answers requests.
type service struct {
	config Config
	// engine reads the tables; nil in a process without a database.
	engine *engine.Engine
}

// call is a request in a dialect.
type call struct {
	*service
	*dialect.Dialect
}

// endpoint is an operation of the standard.
type endpoint struct {
	path string
	// id is the operation's id under LegacyPath; under MeshPath it begins with mesh, as meshBlock.
	id              string
	summary, about  string
	request, answer reflect.Type
	// offline is set if it needs neither a database nor a node.
	offline bool
	// anyBody is set if the request may be anything.
	anyBody bool
	answers func(ctx context.Context, body []byte) (any, error)
}

// define returns an endpoint that answers with the result of handle. Requests are decoded and their network is checked
// before.
func define[Request, Answer any](c *call, path, id, summary, about string, handle func(ctx context.Context, in *Request) (*Answer, error)) endpoint {
	return endpoint{
		path: path, id: id, summary: summary, about: about, request: reflect.TypeFor[Request](), answer: reflect.TypeFor[Answer](),
		answers: func(ctx context.Context, body []byte) (any, error) {
			in, err := wire.Decode[Request](body, c.Legacy)
			if err != nil {
				return nil, c.decodeFault(err)
			}
			network, _ := reflect.ValueOf(in).Elem().FieldByName("NetworkIdentifier").Interface().(wire.NetworkIdentifier)
			if err := c.checkNetwork(network); err != nil {
				return nil, err
			}
			return handle(ctx, in)
		},
	}
}

// withoutDatabase returns the endpoint as one that needs neither a database nor a node.
func (e endpoint) withoutDatabase() endpoint {
	e.offline = true
	return e
}

// described returns the endpoint as one whose answer has the form of a type.
func (e endpoint) described(answer reflect.Type) endpoint {
	e.answer = answer
	return e
}

// endpoints returns all operations of the standard.
func (c *call) endpoints() []endpoint {
	return []endpoint{
		c.networkList(),
		define(c, "/network/options", "rosettaNetworkOptions", "Versions, types of operations, errors", "", c.options).withoutDatabase(),
		define(c, "/network/status", "rosettaNetworkStatus", "The newest and the first block", "", c.status),
		define(c, "/block", "rosettaBlock", "A block with its transactions", "Without an index and a hash it is the newest block.", c.block).described(reflect.TypeFor[wire.BlockAnswer]()),
		define(c, "/block/transaction", "rosettaBlockTransaction", "A transaction of a block", "", c.blockTransaction),
		define(c, "/account/balance", "rosettaAccountBalance", "Balances of an account at a block",
			"Balances of earlier blocks cost the same. The balance of the account itself is its STX without those that are locked; sub-accounts are `SpendableBalance`, `StackedBalance` (or `locked`), `VestingLockedBalance` and `VestingUnlockedBalance`.",
			c.balance),
		define(c, "/account/coins", "rosettaAccountCoins", "Refused: there are no coins", "Stacks has accounts, not coins.", c.coins),
		define(c, "/mempool", "rosettaMempool", "Pending transactions", "The one that was received last is first.", c.mempool),
		define(c, "/mempool/transaction", "rosettaMempoolTransaction", "A pending transaction", "", c.mempoolTransaction),
		define(c, "/events/blocks", "rosettaEventsBlocks", "Blocks that were added or removed", "Sequence numbers have no gaps. Without an offset it returns the last events.", c.events),
		define(c, "/search/transactions", "rosettaSearchTransactions", "Search for transactions", "By the hash of a transaction, by an account, or all of them, up to a block. Other conditions are refused.", c.search),
		define(c, "/call", "rosettaCall", "Read a contract at a node", "", c.contractCall),
		define(c, "/construction/derive", "rosettaConstructionDerive", "The account of a public key",
			"With `metadata.public_keys` (further keys, in order), `metadata.signatures_required` and `metadata.hash_mode` (`p2sh`, `p2wsh-p2sh`, `p2sh-non-sequential` or `p2wsh-p2sh-non-sequential`; default `p2sh`) it is the account of several keys.",
			c.derive).withoutDatabase(),
		define(c, "/construction/preprocess", "rosettaConstructionPreprocess", "What the construction of a transaction needs from the chain", "", c.preprocess).withoutDatabase(),
		define(c, "/construction/metadata", "rosettaConstructionMetadata", "Nonce and fee for a transaction", "", c.metadata),
		define(c, "/construction/payloads", "rosettaConstructionPayloads", "An unsigned transaction and what to sign",
			"A `fee` operation of another account than the sender's makes that account the sponsor. The origin signs first; then the transaction that has its signature goes into `metadata.origin_signed_transaction` of another request, for the payload of the sponsor.",
			c.payloads).withoutDatabase(),
		define(c, "/construction/parse", "rosettaConstructionParse", "The operations of a constructed transaction", "", c.parse).withoutDatabase(),
		define(c, "/construction/combine", "rosettaConstructionCombine", "Put a signature into a transaction", "The signature is verified.", c.combine).withoutDatabase(),
		define(c, "/construction/hash", "rosettaConstructionHash", "The hash of a signed transaction", "", c.hash).withoutDatabase(),
		define(c, "/construction/submit", "rosettaConstructionSubmit", "Send a signed transaction to the nodes", "", c.submit),
	}
}

// missingFaults are the faults of missing members that have one of their own.
var missingFaults = map[string]fault.Fault{
	"network_identifier": fault.MissingNetwork, "blockchain": fault.MissingBlockchain, "network": fault.MissingNetworkName,
	"block_identifier": fault.MissingBlock, "transaction_identifier": fault.MissingTransaction, "operations": fault.InvalidOperation,
}

// decodeFault returns the fault of a request that could not be decoded. It lies with the client, so it is not retriable.
func (c *call) decodeFault(err error) error {
	var missing *wire.MissingError
	if c.Legacy && errors.Is(err, wire.ErrShape) {
		return fault.New(fault.Unknown) // as stacks-blockchain-api; there it is not retriable
	}
	f := fault.InvalidParams
	if errors.As(err, &missing) {
		if own, ok := missingFaults[missing.Name]; ok {
			f = own
		}
	}
	return fault.Newf(f, "%s", err.Error())
}

func (c *call) checkNetwork(n wire.NetworkIdentifier) error {
	switch {
	case n.Blockchain != wire.Blockchain:
		return fault.New(fault.InvalidBlockchain)
	case n.Network != c.config.Network || n.SubNetwork != nil:
		return fault.New(fault.InvalidNetwork)
	}
	return nil
}

// read calls handler with a snapshot: everything that the handler reads is of one moment.
func (c *call) read(ctx context.Context, handler func(ctx context.Context, s *engine.Snapshot) error) error {
	_, _, err := c.engine.ReadInTurn(ctx, nil, nil, func(ctx context.Context, s *engine.Snapshot) (any, error) {
		return nil, asFault(handler(ctx, s))
	})
	return err
}

// asFault returns the fault of an error of ledger, and other errors as they are.
func asFault(err error) error {
	switch {
	case errors.Is(err, ledger.ErrNoBlock):
		return fault.New(fault.BlockNotFound)
	case errors.Is(err, ledger.ErrOtherBlock):
		return fault.New(fault.BlockMismatch)
	case errors.Is(err, ledger.ErrNoTransaction):
		return fault.New(fault.TransactionNotFound)
	}
	return err
}

// checkAccount returns a fault unless the address is an account.
func checkAccount(id wire.AccountIdentifier) error {
	if _, err := clarity.ParsePrincipal(id.Address); err != nil {
		return fault.New(fault.InvalidAccount)
	}
	return nil
}

// isHex reports whether a hash is written in hex.
func isHex(text string) bool {
	_, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
	return err == nil && text != "" && text != "0x"
}

func (c *call) reader() *ledger.Reader {
	return &ledger.Reader{Bitcoin: c.Bitcoin, Synthetic: c.BlockHash}
}
