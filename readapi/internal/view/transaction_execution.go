package view

import (
	"strata/domain/contract"
	"strata/domain/transaction"
)

// Cost is the execution cost of a transaction.
type Cost = transactionCost

// These methods show parts of a transaction that went through Complete, for shapes that need no TransactionBody.

// Base returns what is shown of mined and unmined transactions alike.
func (r *TransactionRow) Base() TransactionBase { return renderBase(r) }

// Sender returns the sender; empty for a refused operation from Bitcoin whose sender is not known.
func (r *TransactionRow) Sender() string { return r.from() }

// Result returns the result in its two forms.
func (r *TransactionRow) Result() ClarityValue { return ShowRaw(r.rawResult) }

// RawResult returns the result as consensus serialises it.
func (r *TransactionRow) RawResult() []byte { return r.rawResult }

// Cost returns the execution cost.
func (r *TransactionRow) Cost() Cost { return r.cost }

// VMError returns the node's message about a failure; nil for none.
func (r *TransactionRow) VMError() *string { return r.vmError }

// Call returns the signature of the function that a transaction calls, and its arguments, as contract.Interface does.
func (c CalledInterfaces) Call(r *TransactionRow, call *transaction.ContractCall) (signature string, arguments []contract.CallArgument) {
	return c.of(r).Call(call.Function, call.Arguments.List())
}
