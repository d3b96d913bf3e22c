// Package fault has the failures that the standard's error codes name.
package fault

import "fmt"

// Fault is a kind of failure. Its number is its code in the legacy dialect.
type Fault int

// Failures, by the codes of stacks-blockchain-api.
const (
	InvalidAccount         Fault = 601
	BlockNotFound          Fault = 605
	InvalidBlockHash       Fault = 606
	TransactionNotFound    Fault = 607
	InvalidTransactionHash Fault = 608
	InvalidParams          Fault = 609
	InvalidNetwork         Fault = 610
	InvalidBlockchain      Fault = 611
	Unknown                Fault = 612
	MissingNetwork         Fault = 613
	MissingBlock           Fault = 615
	MissingTransaction     Fault = 616
	MissingBlockchain      Fault = 617
	MissingNetworkName     Fault = 618
	InvalidCurve           Fault = 619
	InvalidPublicKey       Fault = 620
	InvalidOperation       Fault = 621
	InvalidFee             Fault = 622
	InvalidSymbol          Fault = 623
	InvalidDecimals        Fault = 624
	InvalidTransactionType Fault = 625
	InvalidSender          Fault = 626
	InvalidRecipient       Fault = 627
	InvalidTransactionText Fault = 628
	NotSigned              Fault = 629
	MissingAmount          Fault = 630
	MissingFee             Fault = 631
	MissingPublicKey       Fault = 632
	MissingSignature       Fault = 633
	InvalidSignature       Fault = 634
	UnverifiedSignature    Fault = 635
	NeedOnePublicKey       Fault = 636
	NeedOneSignature       Fault = 637
	UnsupportedSignature   Fault = 638
	MissingSize            Fault = 639
	InvalidSubAccount      Fault = 641
	MissingSender          Fault = 642
	MissingNonce           Fault = 643
	MissingContractAddress Fault = 644
	MissingContractName    Fault = 645

	// These have no code of their own in stacks-blockchain-api.
	NotSupported       Fault = 646
	NodeUnavailable    Fault = 647
	BlockMismatch      Fault = 648
	ContractReadFailed Fault = 649
	BroadcastFailed    Fault = 650
)

// Error is a failure. Details are for the client; nil for none.
type Error struct {
	Fault   Fault
	Details map[string]any
}

func (e *Error) Error() string {
	return fmt.Sprintf("error %d of the standard: %v", e.Fault, e.Details)
}

// New returns a failure without details.
func New(f Fault) *Error { return &Error{Fault: f} }

// Newf returns a failure that says in its details what is wrong.
func Newf(f Fault, format string, arguments ...any) *Error {
	return &Error{Fault: f, Details: map[string]any{"message": fmt.Sprintf(format, arguments...)}}
}
