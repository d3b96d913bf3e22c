package metadata

import (
	"fmt"

	"strata/domain/fetch"
)

// reportMax bounds the size of an encoded report, in bytes.
const reportMax = 64 << 20

// encode encodes a report as the body of its event. A report of more than most bytes is replaced by one that says so:
// it has all exchanges without their bodies, and those that succeeded fail as too large.
func encode(report *fetch.Report, most int) ([]byte, error) {
	b, err := report.Encode()
	if err != nil || len(b) <= most {
		return b, err
	}
	small := *report
	small.Image = nil
	small.Exchanges = make([]fetch.Exchange, len(report.Exchanges))
	for i, e := range report.Exchanges {
		e.Body = nil
		if e.Failure == "" {
			e.Failure, e.Error = fetch.FailureTooLarge, fmt.Sprintf("left out: the report would have %d bytes, limit %d", len(b), most)
		}
		small.Exchanges[i] = e
	}
	return small.Encode()
}
