package readapi

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// API answers reads over HTTP. It is an http.Handler, safe for concurrent use.
type API struct {
	*Engine
	metadata metadataConfig
	nodes    nodeConfig
	streams  streamConfig
	lagLimit int64
	bareTxID bool

	nodeAnswers *NodeAnswers
	fees        *fees
	live        *follower // what happens, for those who follow it
}

// New makes the API with all its resources. It does not touch the database. While Run runs, answers are kept; without
// it, each is made anew.
func New(config Config) *API {
	config = config.withDefaults()
	a := &API{Engine: newEngine(config.engine()), metadata: metadataConfig{config.ImageBase, config.Images, config.Gateways, config.Refresh}, nodes: nodeConfig{config.Nodes, config.BlockLimit},
		streams: streamConfig{config.StreamsMost, config.StreamQueue, config.Heartbeat, config.StreamWriteTimeout, config.PingInterval}.withDefaults(), lagLimit: config.LagLimit, bareTxID: config.OrdinalsTxIDBare}
	a.nodeAnswers = newNodeAnswers(a.Engine)
	a.fees = newFees(a)
	a.live = newFollower(a)
	a.OnChange(a.fees.look)
	a.OnChange(a.live.look)
	a.Background(a.fees.run)
	a.Background(a.live.run)

	a.registerStatus()
	a.registerBlocks()
	a.registerTransaction()
	a.registerRawTransaction()
	a.registerTransactions()
	a.registerTransactionList()
	a.registerTransactionListV3()
	a.registerTransactionEvents()
	a.registerBlockTransactions()
	a.registerTransactionV3()
	a.registerTransactionEventsV3()
	a.registerBlockTransactionsV3()
	a.registerContract()
	a.registerContractStatuses()
	a.registerContractEvents()
	a.registerTraits()
	a.registerSTXBalances()
	a.registerBalances()
	a.registerAccountTransactions()
	a.registerAccountAssets()
	a.registerInbound()
	a.registerTransfers()
	a.registerAccountTransactionsV2()
	a.registerAccountEventsV2()
	a.registerAccountTransactionsV3()
	a.registerBalanceChanges()
	a.registerFTBalances()
	a.registerPrincipalBalances()
	a.registerNonces()
	a.registerHolders()
	a.registerNFTLists()
	a.registerBurnchain()
	a.registerPoxTransactions()
	a.registerPoxCycles()
	a.registerPoxSigners()
	a.registerPoxStackers()
	a.registerPoxEvents()
	a.registerSupply()
	a.registerSearch()
	a.registerMempool()
	a.registerAuditEvents()
	a.registerAuditBodies()
	a.registerQuarantine()
	a.registerProjections()
	a.registerNegativeBalances()
	a.registerTrace()
	a.traceChain()
	a.traceAccounts()
	a.traceAudit()
	a.traceTokens()
	a.traceInscriptions()
	a.traceBRC20()
	a.serveLog(config.Log)
	a.registerMetadata()
	a.registerImages()
	a.registerOrdinals()
	a.registerBRC20()
	a.registerNodes()
	a.registerStreams()
	a.registerHealth()

	a.plain("GET /{$}", "root", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/extended", http.StatusMovedPermanently)
	})
	a.plain("GET /metrics", "metrics", promhttp.HandlerFor(a.config.Registry, promhttp.HandlerOpts{}).ServeHTTP)
	a.registerDocumentation()
	a.registerConsole()
	a.plain("/", "unknown", routeNotFound)
	return a
}
