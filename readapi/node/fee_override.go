package node

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// FeeOverride replaces the fees of a node's answer of status 200 to POST /v2/fees/transaction, body being what it was
// asked: while the last tenures had room, with the least that a node takes, and never with less than that. Nothing else of
// the answer changes. ok is false where the answer stays as it is: nobody can say how full tenures were (that takes
// Config.BlockLimit, and Run), or something can't be read.
func (a *api) feeOverride(body, answer []byte) (other []byte, ok bool) {
	verdict := a.fees.market()
	if verdict == marketUnknown {
		return nil, false
	}
	least, ok := leastFee(body)
	if !ok {
		return nil, false
	}
	return replaceFees(answer, func(fee uint64) uint64 {
		if verdict == marketNone {
			return least
		}
		return max(fee, least)
	})
}

// leastFee is the least fee for a transaction, in µSTX: it has at least as many bytes as its payload.
func leastFee(body []byte) (uint64, bool) {
	var request struct {
		Payload *string `json:"transaction_payload"`
		Length  *uint64 `json:"estimated_len"`
	}
	if err := json.Unmarshal(body, &request); err != nil || request.Payload == nil {
		return 0, false
	}
	size := uint64(len(strings.TrimPrefix(*request.Payload, "0x")) / 2)
	if request.Length != nil {
		size = max(size, *request.Length)
	}
	return size * minimumFeePerByte, true
}

// replaceFees replaces the numbers at /estimations/*/fee, and no other byte.
func replaceFees(answer []byte, replace func(uint64) uint64) (replaced []byte, ok bool) {
	decoder := jsontext.NewDecoder(bytes.NewReader(answer))
	copied := 0
	for {
		if decoder.PeekKind() == '0' && isFee(decoder.StackPointer()) {
			value, err := decoder.ReadValue()
			if err != nil {
				return nil, false
			}
			fee, err := strconv.ParseUint(string(value), 10, 64)
			if err != nil {
				return nil, false
			}
			end := int(decoder.InputOffset())
			replaced = append(replaced, answer[copied:end-len(value)]...)
			replaced = strconv.AppendUint(replaced, replace(fee), 10)
			copied = end
			continue
		}
		if _, err := decoder.ReadToken(); err == io.EOF { //nolint:errorlint // it is returned as it is at the end of a whole text
			break
		} else if err != nil {
			return nil, false
		}
	}
	return append(replaced, answer[copied:]...), copied > 0
}

// isFee says whether a place is the fee of an estimate.
func isFee(place jsontext.Pointer) bool {
	rest, ok := strings.CutPrefix(string(place), "/estimations/")
	if !ok {
		return false
	}
	index, name, _ := strings.Cut(rest, "/")
	return name == "fee" && index != ""
}
