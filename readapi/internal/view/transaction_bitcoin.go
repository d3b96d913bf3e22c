package view

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"math/big"
	"strconv"
	"strings"

	"strata/domain/bitcoin"
	"strata/domain/c32"
	"strata/domain/clarity"
	"strata/domain/pox"
	"strata/domain/transaction"
	"strata/readapi/internal/engine"
)

// Addresses of the boot contracts: twenty zero bytes.
var (
	bootMainnet = c32.Address{Version: c32.MainnetSingle}
	bootTestnet = c32.Address{Version: c32.TestnetSingle}
)

const votingContract = "signers-voting"

// operatedContracts are the contracts that operations from Bitcoin can call.
var operatedContracts = []string{"pox", "pox-2", "pox-3", "pox-4", "pox-5", votingContract}

// operationTransaction returns an operation from Bitcoin as a transaction that would have done the same: a transfer, or
// a call of a boot contract. It takes what the operation did from the events, and what it should have done, with
// further details, from the node's report. Nodes before 2.1 sent no report, so nothing is known of an operation that
// they refused: its payload stays undecoded.
func operationTransaction(network string, r *TransactionRow, events []EventRow) *transaction.Transaction {
	tx := undecoded(r.RawTx)
	var report operationReport
	if r.burnchainOp != nil {
		if err := json.Unmarshal([]byte(*r.burnchainOp), &report); err != nil {
			report = operationReport{}
		}
	}
	o := bitcoinOperation{network: network, row: r, report: report, events: events}
	for _, read := range []func() (transaction.Payload, error){o.transfer, o.stack, o.lock, o.delegate, o.vote} {
		if payload, err := read(); err == nil {
			tx.Payload = payload
			break
		}
	}
	return tx
}

// bitcoinOperation is an operation from Bitcoin, with all that is known of it.
type bitcoinOperation struct {
	network string
	row     *TransactionRow
	report  operationReport
	events  []EventRow
}

// operationReport is a node's report of an operation from Bitcoin. Which members are present tells the kinds of
// operations apart.
type operationReport struct {
	BurnBlockHeight uint64           `json:"burn_block_height"`
	Sender          operationAddress `json:"sender"`

	Recipient   operationAddress `json:"recipient"`
	Transferred *json.Number     `json:"transfered_ustx"` // the node's spelling
	Memo        string           `json:"memo"`

	Stacked   *json.Number    `json:"stacked_ustx"`
	NumCycles uint64          `json:"num_cycles"`
	Reward    json.RawMessage `json:"reward_addr"` // an address; for a delegation, the pair of an output index and an address
	SignerKey string          `json:"signer_key"`
	MaxAmount *json.Number    `json:"max_amount"`
	AuthID    *json.Number    `json:"auth_id"`

	Delegated  *json.Number     `json:"delegated_ustx"`
	DelegateTo operationAddress `json:"delegate_to"`
	Until      *json.Number     `json:"until_burn_height"`

	AggregateKey string      `json:"aggregate_key"`
	RewardCycle  json.Number `json:"reward_cycle"`
	Round        json.Number `json:"round"`
	SignerIndex  json.Number `json:"signer_index"`
}

type operationAddress struct {
	Address string `json:"address"`
}

// errOtherOperation means that the operation is of another kind, or that too little is known of it.
var errOtherOperation = errors.New("not this kind of operation")

// event returns the first event of a type; ok is false when there is none.
func (o *bitcoinOperation) event(kind string) (e *EventRow, ok bool) {
	for i := range o.events {
		if o.events[i].Kind == kind {
			return &o.events[i], true
		}
	}
	return nil, false
}

// transfer returns the payload of a transfer of STX.
func (o *bitcoinOperation) transfer() (transaction.Payload, error) {
	recipient, amount, memo := o.report.Recipient.Address, string(ValueOf(o.report.Transferred)), hexBytes(o.report.Memo)
	if e, ok := o.event("stx_transfer_event"); ok {
		recipient, amount = ValueOf(e.Recipient), ValueOf(e.Amount)
		if len(e.Memo) > 0 {
			memo = e.Memo
		}
	}
	to, err := clarity.ParsePrincipal(recipient)
	if err != nil {
		return nil, errOtherOperation
	}
	n, err := strconv.ParseUint(amount, 10, 64)
	if err != nil {
		return nil, errOtherOperation
	}
	transfer := &transaction.TokenTransfer{Recipient: to, Amount: n}
	copy(transfer.Memo[:], memo)
	return transfer, nil
}

// stack returns the call of stack-stx, from the node's report.
func (o *bitcoinOperation) stack() (transaction.Payload, error) {
	if o.report.Stacked == nil {
		return nil, errOtherOperation
	}
	var reward string
	if err := json.Unmarshal(o.report.Reward, &reward); err != nil {
		return nil, errOtherOperation
	}
	a := arguments{}
	a.number(string(*o.report.Stacked))
	a.reward(rewardAddress(o.network, reward))
	a.add(clarity.NewUint64(o.report.BurnBlockHeight), nil)
	a.add(clarity.NewUint64(o.report.NumCycles), nil)
	contract := o.lockedBy()
	if o.report.SignerKey != "" {
		contract = "pox-4"
		a.add(clarity.NewNone(), nil) // no signature: the one of the Bitcoin transaction authorises the call
		a.buffer(hexBytes(o.report.SignerKey))
		a.number(string(ValueOf(o.report.MaxAmount)))
		a.number(string(ValueOf(o.report.AuthID)))
	}
	return a.call(bootContract(o.network, contract), "stack-stx")
}

// lockedBy returns the name of the stacking contract that made the lock, from the event. The events of nodes before 2.1
// do not name it; it is pox then.
func (o *bitcoinOperation) lockedBy() string {
	if e, ok := o.event("stx_lock_event"); ok {
		if _, name, ok := strings.Cut(ValueOf(e.Contract), "."); ok {
			return name
		}
	}
	return "pox"
}

// Lengths of a reward cycle in Bitcoin blocks: on mainnet, and on other networks.
const (
	cycleMainnet = 2100
	cycleTestnet = 50
)

// lock returns the call of stack-stx, from the lock event, when no report of the node is known.
func (o *bitcoinOperation) lock() (transaction.Payload, error) {
	e, ok := o.event("stx_lock_event")
	if !ok {
		return nil, errOtherOperation
	}
	reward, err := o.lockedReward(e)
	locked := ValueOf(e.Amount)
	if result, failed := clarity.DecodeAll(o.row.rawResult); failed == nil {
		if done, ok := result.Inner(); ok {
			if amount, ok := done.Field("lock-amount"); ok {
				locked, _ = amount.Decimal()
			}
		}
	}
	cycle := int64(cycleMainnet)
	if o.network != engine.NetworkDefault {
		cycle = cycleTestnet
	}
	period := max(ValueOf(e.UnlockHeight)-o.row.BurnBlockHeight, 0) / cycle
	a := arguments{}
	a.number(locked)
	a.reward(reward, err)
	a.add(clarity.NewUint64(uint64(o.row.BurnBlockHeight)), nil)
	a.add(clarity.NewUint64(uint64(period)), nil)
	return a.call(bootContract(o.network, o.lockedBy()), "stack-stx")
}

// lockedReward returns the Bitcoin address that receives the rewards of a lock: the one that the contract printed, else
// the stacker's own.
func (o *bitcoinOperation) lockedReward(e *EventRow) (bitcoin.PoxAddress, error) {
	if printed, ok := o.printed(); ok && printed.PoxAddress != nil {
		return *printed.PoxAddress, nil
	}
	stacker, err := clarity.ParsePrincipal(ValueOf(e.Sender))
	if err != nil {
		return bitcoin.PoxAddress{}, err
	}
	return rewardAddress(o.network, bitcoin.FromStacks(stacker.Address))
}

// printed returns the first event that a stacking contract printed.
func (o *bitcoinOperation) printed() (pox.Event, bool) {
	for i := range o.events {
		if o.events[i].Kind != "contract_event" {
			continue
		}
		v, err := clarity.DecodeAll(o.events[i].Value)
		if err != nil {
			continue
		}
		if e, ok, err := pox.Decode(v); ok && err == nil {
			return e, true
		}
	}
	return pox.Event{}, false
}

// delegate returns the call of delegate-stx, from the node's report or from what the contract printed.
func (o *bitcoinOperation) delegate() (transaction.Payload, error) {
	contract, a := "pox-4", arguments{}
	for i := range o.events {
		if o.events[i].Kind == "contract_event" {
			_, contract, _ = strings.Cut(ValueOf(o.events[i].Contract), ".")
		}
	}
	printed, ok := o.printed()
	switch {
	case o.report.Delegated != nil:
		a.number(string(*o.report.Delegated))
		a.principal(o.report.DelegateTo.Address)
		a.optionalNumber(o.report.Until)
		var reward [2]any
		_ = json.Unmarshal(o.report.Reward, &reward) // any other JSON names no address
		if address, ok := reward[1].(string); ok {
			a.optionalReward(rewardAddress(o.network, address))
		} else {
			a.add(clarity.NewNone(), nil)
		}
	case ok && printed.Name == "delegate-stx" && printed.Data.AmountUstx != nil && printed.Data.DelegateTo != nil:
		a.add(clarity.NewUint(printed.Data.AmountUstx))
		a.add(clarity.NewPrincipal(*printed.Data.DelegateTo))
		if until := printed.Data.UnlockBurnHeight; until != nil {
			n := json.Number(until.String())
			a.optionalNumber(&n)
		} else {
			a.optionalNumber(nil)
		}
		if printed.PoxAddress != nil {
			a.optionalReward(*printed.PoxAddress, nil)
		} else {
			a.add(clarity.NewNone(), nil)
		}
	default:
		return nil, errOtherOperation
	}
	return a.call(bootContract(o.network, contract), "delegate-stx")
}

// vote returns the call by which a signer votes for the aggregate key of all signers.
func (o *bitcoinOperation) vote() (transaction.Payload, error) {
	if o.report.AggregateKey == "" {
		return nil, errOtherOperation
	}
	a := arguments{}
	a.number(string(o.report.SignerIndex))
	a.buffer(hexBytes(o.report.AggregateKey))
	a.number(string(o.report.Round))
	a.number(string(o.report.RewardCycle))
	return a.call(bootContract(o.network, votingContract), "vote-for-aggregate-public-key")
}

// rewardAddress parses a Bitcoin address of the network. A network other than mainnet may use the addresses of testnet
// or of regtest.
func rewardAddress(network, text string) (bitcoin.PoxAddress, error) {
	if network == engine.NetworkDefault {
		return bitcoin.ParsePoxAddress(text, bitcoin.Mainnet)
	}
	address, err := bitcoin.ParsePoxAddress(text, bitcoin.Testnet)
	if err != nil {
		address, err = bitcoin.ParsePoxAddress(text, bitcoin.Regtest)
	}
	return address, err
}

// arguments collects the arguments of a call; err is the first error on the way.
type arguments struct {
	values []clarity.Value
	err    error
}

func (a *arguments) add(v clarity.Value, err error) {
	a.values = append(a.values, v)
	if a.err == nil {
		a.err = err
	}
}

func (a *arguments) number(decimal string) { a.add(uintValue(decimal)) }

func (a *arguments) optionalNumber(n *json.Number) {
	if n == nil {
		a.add(clarity.NewNone(), nil)
		return
	}
	v, err := uintValue(string(*n))
	a.add(clarity.NewSome(v), err)
}

func (a *arguments) buffer(b []byte) { a.add(clarity.NewBuffer(b)) }

func (a *arguments) principal(text string) {
	p, err := clarity.ParsePrincipal(text)
	if err != nil {
		a.add(clarity.NewNone(), err)
		return
	}
	a.add(clarity.NewPrincipal(p))
}

func (a *arguments) reward(address bitcoin.PoxAddress, err error) {
	if err != nil {
		a.add(clarity.NewNone(), err)
		return
	}
	a.add(pox.AddressValue(address))
}

func (a *arguments) optionalReward(address bitcoin.PoxAddress, err error) {
	a.reward(address, err)
	last := len(a.values) - 1
	a.values[last] = clarity.NewSome(a.values[last])
}

// call returns the contract call with these arguments.
func (a *arguments) call(contract clarity.Principal, function string) (transaction.Payload, error) {
	if a.err != nil {
		return nil, a.err
	}
	list, err := transaction.NewArguments(a.values...)
	if err != nil {
		return nil, err
	}
	return &transaction.ContractCall{Contract: contract, Function: function, Arguments: list}, nil
}

func uintValue(decimal string) (clarity.Value, error) {
	n, ok := new(big.Int).SetString(decimal, 10)
	if !ok {
		return clarity.NewNone(), errOtherOperation
	}
	return clarity.NewUint(n)
}

// hexBytes decodes hex with or without 0x; it returns nil for a text that is not hex.
func hexBytes(text string) []byte {
	b, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
	if err != nil {
		return nil
	}
	return b
}
