package construction

import (
	"maps"
	"strings"

	"strata/domain/clarity"
	"strata/readapi/rosetta/internal/fault"
	"strata/readapi/rosetta/internal/wire"
)

// Types of transactions that can be constructed.
const (
	typeFee      = "fee"
	typeTransfer = "token_transfer"
	typeCall     = "contract_call"
	typeDeploy   = "contract_deploy"
	typeStack    = "stack_stx"
	typeDelegate = "delegate_stx"
)

// deployNames are the names of deployments in both dialects.
var deployNames = map[string]bool{typeDeploy: true, "smart_contract": true}

// Options are the options of a transaction: what its operations say, and what /construction/metadata finds out. Their
// keys are those of both dialects.
type Options map[string]any

// copied are the members of an operation's metadata that belong to the options of stacking calls.
var copied = []string{
	"number_of_cycles", "pox_addr", "signer_key", "signer_private_key", "signer_signature", "pox_max_amount", "pox_auth_id", "reward_cycle_id",
	"delegate_to", "burn_block_height", "contract_address", "contract_name",
}

// Intent returns the options that operations state. Its failures are those of /construction/preprocess.
func (b *Builder) Intent(operations []wire.Operation) (Options, error) {
	if len(operations) > 3 {
		return nil, fault.New(fault.InvalidOperation)
	}
	for _, op := range operations {
		if op.Amount != nil && op.Amount.Currency.Symbol != wire.STX().Symbol {
			return nil, fault.New(fault.InvalidSymbol)
		}
	}
	for _, op := range operations {
		if op.Amount != nil && op.Amount.Currency.Decimals != wire.STX().Decimals {
			return nil, fault.New(fault.InvalidDecimals)
		}
	}
	o := Options{}
	payer := ""
	for i := range operations {
		op := &operations[i]
		var err error
		switch {
		case op.Type == typeFee:
			if op.Amount != nil {
				o["fee"] = op.Amount.Value
			}
			payer = addressOf(op)
		case op.Type == typeTransfer:
			err = o.transfer(op)
		case op.Type == typeStack, op.Type == typeDelegate:
			err = o.stacking(op)
		case op.Type == typeCall:
			err = o.call(op)
		case deployNames[op.Type]:
			err = o.deploy(op)
		default:
			err = fault.New(fault.InvalidOperation)
		}
		if err != nil {
			return nil, err
		}
	}
	if o["type"] == nil || o["type"] == typeTransfer && o["token_transfer_recipient_address"] == nil {
		return nil, fault.New(fault.InvalidOperation)
	}
	if payer != "" && payer != o["sender_address"] {
		o["sponsor_address"] = payer
	}
	return o, nil
}

func addressOf(op *wire.Operation) string {
	if op.Account == nil {
		return ""
	}
	return op.Account.Address
}

// setType sets the type and the sender. A transaction has one of each.
func (o Options) setType(name string, op *wire.Operation) error {
	if o["type"] != nil && (o["type"] != name || name != typeTransfer || o["sender_address"] != nil) {
		return fault.New(fault.InvalidOperation)
	}
	o["type"] = name
	if address := addressOf(op); address != "" {
		o["sender_address"] = address
	}
	return nil
}

func (o Options) setSTX(amount string) {
	o["amount"], o["symbol"], o["decimals"] = amount, wire.STX().Symbol, wire.STX().Decimals
}

// transfer reads the debit or the credit of a transfer.
func (o Options) transfer(op *wire.Operation) error {
	if op.Amount == nil {
		return fault.New(fault.InvalidOperation)
	}
	if o["type"] != nil && o["type"] != typeTransfer {
		return fault.New(fault.InvalidOperation)
	}
	if memo, ok := op.Metadata["memo"].(string); ok && memo != "" {
		o["memo"] = memo
	}
	if strings.HasPrefix(op.Amount.Value, "-") {
		return o.setType(typeTransfer, op)
	}
	if _, ok := wholeNumber(op.Amount.Value); !ok {
		return fault.New(fault.InvalidOperation)
	}
	o["token_transfer_recipient_address"], o["recipient_address"] = addressOf(op), addressOf(op)
	o.setSTX(op.Amount.Value)
	return nil
}

// stacking reads a call of stack-stx or delegate-stx.
func (o Options) stacking(op *wire.Operation) error {
	if op.Amount == nil || !strings.HasPrefix(op.Amount.Value, "-") && op.Amount.Value != "0" {
		return fault.New(fault.InvalidOperation)
	}
	if err := o.setType(op.Type, op); err != nil {
		return err
	}
	if _, ok := wholeNumber(op.Metadata["number_of_cycles"]); !ok && op.Type == typeStack {
		return fault.New(fault.InvalidOperation)
	}
	if _, ok := op.Metadata["delegate_to"].(string); !ok && op.Type == typeDelegate {
		return fault.New(fault.InvalidOperation)
	}
	o.setSTX(strings.TrimPrefix(op.Amount.Value, "-"))
	for _, name := range copied {
		if v := op.Metadata[name]; v != nil {
			o[name] = v
		}
	}
	return nil
}

// call reads a contract call. Its arguments are Clarity values in hex, alone or in the form in which calls are shown.
func (o Options) call(op *wire.Operation) error {
	if err := o.setType(typeCall, op); err != nil {
		return err
	}
	name := text(oneOf(op.Metadata, "contract_identifier", "contract_id"))
	if p, err := clarity.ParsePrincipal(name); err != nil || p.Contract == "" {
		return fault.Newf(fault.InvalidOperation, "the contract %q is none", name)
	}
	list, _ := oneOf(op.Metadata, "args", "function_args").([]any)
	args := make([]any, 0, len(list))
	for _, element := range list {
		if members, ok := element.(map[string]any); ok {
			element = members["hex"]
		}
		args = append(args, text(element))
	}
	o["contract_identifier"], o["function_name"], o["args"] = name, text(op.Metadata["function_name"]), args
	return nil
}

// deploy reads the deployment of a contract.
func (o Options) deploy(op *wire.Operation) error {
	if err := o.setType(typeDeploy, op); err != nil {
		return err
	}
	name := text(op.Metadata["contract_name"])
	if name == "" {
		_, name, _ = strings.Cut(text(op.Metadata["contract_identifier"]), ".")
	}
	code, ok := op.Metadata["source_code"].(string)
	if name == "" || !ok {
		return fault.Newf(fault.InvalidOperation, "a deployment names contract_name and source_code")
	}
	o["contract_name"], o["source_code"] = name, code
	if version := op.Metadata["clarity_version"]; version != nil {
		o["clarity_version"] = version
	}
	return nil
}

// ignored are options that may change between /construction/preprocess and /construction/payloads.
var ignored = map[string]bool{
	"fee": true, "max_fee": true, "suggested_fee_multiplier": true, "size": true, "memo": true, "sponsor_address": true,
	"pox_auth_id": true, "signer_signature": true, "signer_private_key": true, "burn_block_height": true, "reward_cycle_id": true,
	"pox_max_amount": true, "contract_address": true, "args": true, "decimals": true, "number_of_cycles": true, "clarity_version": true,
}

// With returns the options with those of a request's metadata, which fill in what the operations leave open. It fails
// if the metadata belongs to other operations.
func (o Options) With(metadata map[string]any) (Options, error) {
	all := Options{}
	if nested, ok := metadata["options"].(map[string]any); ok {
		maps.Copy(all, nested)
	}
	maps.Copy(all, metadata)
	delete(all, "options")
	for name, value := range o {
		if given := all[name]; given != nil && !ignored[name] && text(given) != text(value) {
			return nil, fault.Newf(fault.InvalidParams, "metadata is of other operations: %s is %v there, and %v in the operations", name, given, value)
		}
		all[name] = value
	}
	return all, nil
}
