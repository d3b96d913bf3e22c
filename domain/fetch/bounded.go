package fetch

import "fmt"

// EncodeWithin is Encode for a report of at most so many bytes. A larger one is replaced by one that says so: it has all
// exchanges without their bodies, and those that succeeded fail as too large.
func (r *Report) EncodeWithin(most int) ([]byte, error) {
	b, err := r.Encode()
	if err != nil || len(b) <= most {
		return b, err
	}
	small := *r
	small.Image = nil
	small.Exchanges = make([]Exchange, len(r.Exchanges))
	for i, e := range r.Exchanges {
		e.Body = nil
		if e.Failure == "" {
			e.Failure, e.Error = FailureTooLarge, fmt.Sprintf("left out: the report would have %d bytes, limit %d", len(b), most)
		}
		small.Exchanges[i] = e
	}
	return small.Encode()
}
