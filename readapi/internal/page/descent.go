package page

// Descent is a page of a list whose rows are numbered from 1 to Length, the greatest number first.
type Descent struct {
	Start, Length int64 // Start is the number of the first row of the page; 0 for an empty page
	Limit         int
}

// Numbers returns the numbers of the rows that it takes to answer: those of the page, and the first ones of the pages
// beside it, which have the cursors.
func (d Descent) Numbers() []int64 {
	var numbers []int64
	if d.Start < d.Length {
		numbers = append(numbers, d.before())
	}
	for n := d.Start; n > 0 && n >= d.after(); n-- {
		numbers = append(numbers, n)
	}
	return numbers
}

// before and after return the numbers of the first rows of the pages beside this one.
func (d Descent) before() int64 { return min(d.Start+int64(d.Limit), d.Length) }

func (d Descent) after() int64 { return d.Start - int64(d.Limit) }

// Shows reports whether the row with a number is on the page.
func (d Descent) Shows(number int64) bool { return number <= d.Start && number > d.after() }

// DescendingPage builds a page of rows, which are those with the numbers d.Numbers(), in that order.
func DescendingPage[R, T any](d Descent, rows []R, number func(*R) int64, cursor func(*R) string, shape func(*R) T) *KeysetPage[T] {
	list := &KeysetPage[T]{Total: d.Length, Limit: d.Limit, Results: []T{}}
	for i := range rows {
		r := &rows[i]
		n, text := number(r), cursor(r)
		switch {
		case n > d.Start:
			list.Cursor.Previous = &text
		case !d.Shows(n):
			list.Cursor.Next = &text
		default:
			if n == d.Start {
				list.Cursor.Current = &text
			}
			list.Results = append(list.Results, shape(r))
		}
	}
	return list
}
