package view

import (
	"strata/readapi/internal/schema"
)

// transfersMost is how many events of a transaction are shown beside it. The sums are of all.
const TransfersMax = 1000

// TransferParties are those between whom something was moved.
type TransferParties struct {
	Sender    string `json:"sender,omitempty" doc:"Absent for a mint."`
	Recipient string `json:"recipient,omitempty" doc:"Absent for a burn."`
}

type StxTransfer struct {
	Amount schema.Amount `json:"amount" doc:"µSTX"`
	TransferParties
}
