package dialect

import (
	"slices"

	"strata/readapi/rosetta/internal/fault"
	"strata/readapi/rosetta/internal/wire"
)

// failure is how the dialects name a fault.
type failure struct {
	fault     fault.Fault
	message   string // legacy
	retriable bool   // legacy
	mesh      int    // code in the mesh dialect
}

// failures are all faults, in the order in which the legacy dialect lists them. Faults that the legacy dialect has no
// code for have codes after its own; a broken broadcast is 628 there.
var failures = []failure{
	{fault.InvalidAccount, "Invalid Account.", true, 300},
	{fault.BlockNotFound, "Block not found.", true, 100},
	{fault.InvalidBlockHash, "Invalid block hash.", true, 101},
	{fault.TransactionNotFound, "Transaction not found.", true, 200},
	{fault.InvalidTransactionHash, "Invalid transaction hash.", true, 201},
	{fault.InvalidParams, "Invalid params.", false, 902},
	{fault.InvalidNetwork, "Invalid network.", false, 1},
	{fault.InvalidBlockchain, "Invalid blockchain.", false, 1},
	{fault.Unknown, "Unknown error.", false, 900},
	{fault.MissingNetwork, "Network identifier object is null.", false, 902},
	{fault.MissingBlock, "Block identifier is null.", false, 902},
	{fault.MissingTransaction, "Transaction identifier is null.", true, 902},
	{fault.MissingBlockchain, "Blockchain name is null.", false, 902},
	{fault.MissingNetworkName, "Network name is null.", false, 902},
	{fault.InvalidCurve, "Invalid curve type.", false, 400},
	{fault.InvalidPublicKey, "invalid public key.", false, 400},
	{fault.InvalidOperation, "Invalid operation", false, 902},
	{fault.InvalidFee, "Invalid fee", false, 902},
	{fault.InvalidSymbol, "Invalid symbol", false, 902},
	{fault.InvalidDecimals, "Invalid currency decimals", false, 902},
	{fault.InvalidTransactionType, "Invalid transaction type", false, 902},
	{fault.InvalidSender, "Invalid sender address", false, 300},
	{fault.InvalidRecipient, "Invalid recipient address", false, 300},
	{fault.InvalidTransactionText, "Invalid transaction string", false, 201},
	{fault.NotSigned, "Transaction not signed", false, 201},
	{fault.MissingAmount, "Amount not available", false, 902},
	{fault.MissingFee, "Fees not available", false, 902},
	{fault.MissingPublicKey, "Public key not available", false, 400},
	{fault.MissingSignature, "no signature found", false, 401},
	{fault.InvalidSignature, "Invalid Signature", false, 401},
	{fault.UnverifiedSignature, "Signature(s) not verified with this public key(s)", false, 401},
	{fault.NeedOnePublicKey, "Need one public key for single signature", false, 400},
	{fault.NeedOneSignature, "Need only one signature", false, 401},
	{fault.UnsupportedSignature, "Signature type not supported.", false, 401},
	{fault.MissingSize, "Transaction size required to calculate total fee.", false, 902},
	{fault.InvalidSubAccount, "Invalid sub-account", false, 302},
	{fault.MissingSender, "Missing sender address", false, 902},
	{fault.MissingNonce, "Missing transaction nonce", false, 902},
	{fault.MissingContractAddress, "Missing contract address", false, 902},
	{fault.MissingContractName, "Missing contract name", false, 902},
	{fault.NotSupported, "Not supported.", false, 901},
	{fault.NodeUnavailable, "Node not available.", true, 904},
	{fault.BlockMismatch, "Block index and hash are of different blocks.", true, 102},
	{fault.ContractReadFailed, "Contract could not be read.", true, 903},
	{fault.BroadcastFailed, "Transaction was refused.", false, 202},
}

// meshFailures are the failures of the mesh dialect, by their codes.
var meshFailures = []wire.Error{
	{Code: 1, Message: "Invalid network"},
	{Code: 100, Message: "Block not found", Retriable: true},
	{Code: 101, Message: "Invalid block identifier"},
	{Code: 102, Message: "Block index and hash do not match", Retriable: true},
	{Code: 200, Message: "Transaction not found", Retriable: true},
	{Code: 201, Message: "Invalid transaction"},
	{Code: 202, Message: "Transaction broadcast failed"},
	{Code: 300, Message: "Invalid account"},
	{Code: 302, Message: "Invalid sub-account"},
	{Code: 400, Message: "Invalid public key"},
	{Code: 401, Message: "Invalid signature"},
	{Code: 900, Message: "Internal error", Retriable: true},
	{Code: 901, Message: "Not implemented"},
	{Code: 902, Message: "Invalid request"},
	{Code: 903, Message: "Contract read failed", Retriable: true},
	{Code: 904, Message: "Node not available", Retriable: true},
}

// legacyUnused are codes that clients of the legacy dialect know, and that nothing here sends.
var legacyUnused = []wire.Error{
	{Code: 602, Message: "Insufficient Funds."},
	{Code: 603, Message: "Account is empty."},
	{Code: 604, Message: "Invalid block index."},
	{Code: 614, Message: "Account identifier object is null."},
	{Code: 640, Message: "Account not eligible for stacking."},
}

// Failures returns all errors that answers can have.
func (d *Dialect) Failures() []wire.Error {
	if !d.Legacy {
		return meshFailures
	}
	all := slices.Clone(legacyUnused)
	for _, f := range failures {
		if f.fault == fault.BroadcastFailed {
			continue // an invalid transaction here
		}
		all = append(all, wire.Error{Code: int(f.fault), Message: f.message, Retriable: f.retriable})
	}
	slices.SortFunc(all, func(a, b wire.Error) int { return a.Code - b.Code })
	return all
}

// Failure returns the body of an error.
func (d *Dialect) Failure(err *fault.Error) wire.Error {
	at := slices.IndexFunc(failures, func(f failure) bool { return f.fault == err.Fault })
	if at < 0 {
		at = slices.IndexFunc(failures, func(f failure) bool { return f.fault == fault.Unknown })
	}
	f := failures[at]
	if d.Legacy {
		return wire.Error{Code: int(f.fault), Message: f.message, Retriable: f.retriable, Details: err.Details}
	}
	body := meshFailures[slices.IndexFunc(meshFailures, func(e wire.Error) bool { return e.Code == f.mesh })]
	body.Details = err.Details
	if body.Details == nil {
		body.Details = map[string]any{"message": f.message}
	}
	return body
}
