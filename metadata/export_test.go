package metadata

import "strata/domain/fetch"

// Near is the bound of items that a projection may be behind.
const Near = lagItemsMax

// Encode is encode.
func Encode(report *fetch.Report, most int) ([]byte, error) { return encode(report, most) }
