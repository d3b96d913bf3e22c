package domain_test

import (
	"testing"

	"strata/domain/commit"
)

func TestCommitFeed(t *testing.T) {
	t.Parallel()
	f := commit.NewFeed()
	f.Publish([]commit.Move{{To: 1}})
	f.Publish([]commit.Move{{To: 2}})
	<-f.C()
	transactions, complete := f.Take()
	if len(transactions) != 2 || !complete || transactions[0][0].To != 1 || transactions[1][0].To != 2 {
		t.Errorf("got %v (complete: %t), want two in order", transactions, complete)
	}
	if transactions, complete := f.Take(); len(transactions) != 0 || !complete {
		t.Errorf("got %v (complete: %t) of an empty feed", transactions, complete)
	}
	for i := range int64(commit.FeedSize + 3) {
		f.Publish([]commit.Move{{To: i}})
	}
	<-f.C()
	transactions, complete = f.Take()
	if complete || len(transactions) != 3 || transactions[2][0].To != commit.FeedSize+2 {
		t.Errorf("got %v (complete: %t), want the last three, and that some are missing", transactions, complete)
	}
	if _, complete := f.Take(); !complete {
		t.Error("what is missing is told twice")
	}
}
