package view

import (
	"strata/readapi/internal/schema"
)

// TransfersMax is the largest number of events that are shown with a transaction. Sums include all of its events.
const TransfersMax = 1000

// TransferParties are the two sides of a transfer.
type TransferParties struct {
	Sender    string `json:"sender,omitempty" doc:"Absent for a mint."`
	Recipient string `json:"recipient,omitempty" doc:"Absent for a burn."`
}

// TransferSides are the two sides of a transfer, mint or burn; one that is missing is an empty text.
type TransferSides struct {
	Sender    string `json:"sender" doc:"Empty for a mint."`
	Recipient string `json:"recipient" doc:"Empty for a burn."`
}

// StxTransfer is a transfer, mint or burn of STX.
type StxTransfer struct {
	Amount schema.Amount `json:"amount" doc:"µSTX"`
	TransferSides
}
