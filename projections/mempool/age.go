package mempool

import (
	"container/heap"
)

// ages finds the pending transactions that wait longest. A row is in it once for each time that it became pending; what is
// said of it meanwhile is looked at when its turn comes.
type ages struct{ byTime, byHeight queue }

func (a *ages) add(r *row) {
	heap.Push(&a.byTime, waiter{r, r.receiptTime})
	heap.Push(&a.byHeight, waiter{r, r.receiptHeight})
}

// before hands out those that were received before a time.
func (a *ages) before(time int64, do func(*row)) {
	a.byTime.until(time, func(r *row) int64 { return r.receiptTime }, do)
}

// below hands out those that were received when the newest block was below a height.
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
