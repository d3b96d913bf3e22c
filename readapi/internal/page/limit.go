package page

// RankedOffsetMax caps the offset into a ranked list: no list is as long, and sums with it stay far from overflowing a
// bigint.
const RankedOffsetMax = 1 << 40

// EventsLimit is the default number of events shown with a transaction.
const EventsLimit = 20

// ExaminedMax is the most rows of a list that one request examines for those that match its filters.
const ExaminedMax = 10_000
