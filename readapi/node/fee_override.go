package node

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// feeOverride replaces the fees in a node's answer of status 200 to POST /v2/fees/transaction; request is the body of
// the request. While recent tenures had room, every fee becomes the minimum that a node accepts; otherwise a fee below
// that minimum is raised to it. No other byte of the answer changes. ok is false when the answer stays as it is: the
// market is unknown (it takes Config.BlockLimit and the background work of fees), or the request or the answer cannot
// be read.
func (a *api) feeOverride(request, answer []byte) (other []byte, ok bool) {
	verdict := a.fees.market()
	if verdict == marketUnknown {
		return nil, false
	}
	least, ok := leastFee(request)
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

// leastFee returns the minimum fee of the transaction in a request, in µSTX. The transaction has at least as many bytes
// as its payload.
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

// replaceFees replaces the numbers at the JSON pointers /estimations/*/fee, and no other byte. ok is false when there
// is no such number, or the answer cannot be read.
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
		if _, err := decoder.ReadToken(); err == io.EOF { //nolint:errorlint // the decoder returns io.EOF unwrapped at the end of a complete text
			break
		} else if err != nil {
			return nil, false
		}
	}
	return append(replaced, answer[copied:]...), copied > 0
}

// isFee reports whether a JSON pointer names the fee of an estimate.
func isFee(place jsontext.Pointer) bool {
	rest, ok := strings.CutPrefix(string(place), "/estimations/")
	if !ok {
		return false
	}
	index, name, _ := strings.Cut(rest, "/")
	return name == "fee" && index != ""
}
