package network_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"strata/domain/transaction"
	"strata/eventstore"
	"strata/eventstore/network"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/migrations"
)

var migrated = pgtest.Template("log", migrations.Up)

func openLog(t *testing.T) *eventstore.Log {
	t.Helper()
	log := eventstore.Open(migrated.New(t), eventstore.Config{})
	pgtest.AtEnd(t, log.Close)
	return log
}

func block(rawTx string) eventstore.Incoming {
	return eventstore.Incoming{ReceivedAt: time.Now(), Source: "test", Path: "/new_block", ContentType: "application/json",
		Body: eventstore.NewBody(fmt.Appendf(nil, `{"transactions":[{"raw_tx":"0x%s"}]}`, rawTx))}
}

// The first server decides, as soon as there is an event.
func TestSettle(t *testing.T) {
	t.Parallel()
	log := openLog(t)
	for _, n := range []transaction.Network{transaction.Mainnet, transaction.Testnet, transaction.Testnet} {
		if err := network.Settle(t.Context(), log, n); err != nil {
			t.Fatalf("%+v, of an empty log: %v", n, err)
		}
	}
	must.Get(log.Append(t.Context(), block("000000000104")))(t) // what a node posts is stored, whatever it is of
	var conflict *network.ConflictError
	if err := network.Settle(t.Context(), log, transaction.Mainnet); !errors.As(err, &conflict) || conflict.Log != transaction.Testnet {
		t.Errorf("got %v, want a conflict", err)
	}
	if err := network.Settle(t.Context(), log, transaction.Testnet); err != nil {
		t.Error(err)
	}
}

// The log of an older program tells its network by itself.
func TestLogOfAnOlderProgram(t *testing.T) {
	t.Parallel()
	log := openLog(t)
	must.Get(log.Append(t.Context(), block("800000000004")))(t) // of genesis
	must.Get(log.Append(t.Context(), block("808000012304")))(t)
	var conflict *network.ConflictError
	if err := network.Settle(t.Context(), log, transaction.Mainnet); !errors.As(err, &conflict) || conflict.Log.ChainID != 0x80000123 {
		t.Errorf("got %v, want a conflict", err)
	}
	if err := network.Settle(t.Context(), log, network.New("testnet", 0x80000123)); err != nil {
		t.Error(err)
	}
}

func TestGuard(t *testing.T) {
	t.Parallel()
	log := openLog(t)
	must.Do(t, network.Settle(t.Context(), log, transaction.Mainnet)) // a server that has received nothing
	guard := must.Get(network.NewGuard(t.Context(), log))(t)
	must.Do(t, guard.Admit(t.Context(), []eventstore.Incoming{block("800000000004"), block("808000000004")}))
	var foreign *network.ForeignError
	if err := guard.Admit(t.Context(), []eventstore.Incoming{block("808000000004"), block("000000000104")}); !errors.As(err, &foreign) || foreign.Event != transaction.Mainnet {
		t.Errorf("got %v, want the event refused", err)
	}
	if pinned, known, err := network.Pinned(t.Context(), log); err != nil || !known || pinned != transaction.Testnet {
		t.Errorf("got %+v, %t, %v, want testnet", pinned, known, err)
	}
}
