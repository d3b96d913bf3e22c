package metadata

import (
	"fmt"

	"strata/domain/fetch"
)

// reportMax bounds the body of the event of a report, in bytes.
const reportMax = 64 << 20

// encode gives the body of a report's event. One that is larger than it may be is replaced by one that says so: all
// exchanges without their bodies, and the last one as too large.
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
