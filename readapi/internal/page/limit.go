package page

// offsetMax is beyond the end of every list, and far from the bounds of a number.
const RankedOffsetMax = 1 << 40

// eventsLimit is how many events are shown unless somebody asks for another number.
const EventsLimit = 20

// examinedMost is how many rows of a list one request looks through for those that match.
const ExaminedMax = 10_000
