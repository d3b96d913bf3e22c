package mempool

import (
	"container/heap"
)

// ages finds the pending transactions that have waited longest. A row has an entry for each time that it became
// pending; entries that are out of date are skipped when they are popped.
type ages struct{ byTime, byHeight queue }

func (a *ages) add(r *row) {
	heap.Push(&a.byTime, waiter{r, r.receiptTime})
	heap.Push(&a.byHeight, waiter{r, r.receiptHeight})
}

// before removes the transactions received before a time, and calls do for each.
func (a *ages) before(time int64, do func(*row)) {
	a.byTime.until(time, func(r *row) int64 { return r.receiptTime }, do)
}

// below removes the transactions received while the tip was below a height, and calls do for each.
func (a *ages) below(height int64, do func(*row)) {
	a.byHeight.until(height, func(r *row) int64 { return r.receiptHeight }, do)
}

type waiter struct {
	row   *row
	since int64
}

// queue is a heap with the smallest number on top.
type queue []waiter

func (q *queue) until(limit int64, since func(*row) int64, do func(*row)) {
	for len(*q) > 0 && (*q)[0].since < limit {
		w := heap.Pop(q).(waiter)
		if w.row.status == pending && since(w.row) == w.since {
			do(w.row)
		}
	}
}

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].since < q[j].since }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(w any)        { *q = append(*q, w.(waiter)) }
func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
