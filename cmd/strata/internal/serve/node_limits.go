package serve

import (
	"fmt"
	"time"

	"strata/proxy"
)

// nodeLimitFlags bound what a forwarded request may take, and say which nodes are good enough.
type nodeLimitFlags struct {
	NodeQueue          int           `default:"256" env:"STRATA_NODE_QUEUE" help:"Maximum number of forwarded requests that wait for one node; more are answered 503."`
	NodeQueueWait      time.Duration `default:"2s" env:"STRATA_NODE_QUEUE_WAIT" help:"Maximum time that a forwarded request waits for a node."`
	NodeBodyLimit      int64         `default:"10000000" env:"STRATA_NODE_BODY_LIMIT" help:"Maximum size of the body of a forwarded request, in bytes; some endpoints take less. All bodies together have 64 MiB."`
	NodeConnectTimeout time.Duration `default:"2s" env:"STRATA_NODE_CONNECT_TIMEOUT" help:"Maximum time to open a connection to a node."`
	NodeLightTimeout   time.Duration `default:"5s" env:"STRATA_NODE_LIGHT_TIMEOUT" help:"Maximum time that a node may take for a light request, such as /v2/info."`
	NodeMediumTimeout  time.Duration `default:"10s" env:"STRATA_NODE_MEDIUM_TIMEOUT" help:"Maximum time that a node may take for a medium request, such as an account, a transaction or a block."`
	NodeHeavyTimeout   time.Duration `default:"35s" env:"STRATA_NODE_HEAVY_TIMEOUT" help:"Maximum time that a node may take for a heavy request, such as a contract call, which a node itself stops after 30s."`
	NodeStallTimeout   time.Duration `default:"15s" env:"STRATA_NODE_STALL_TIMEOUT" help:"Maximum time between two pieces of a node's long answer."`
	NodeProbeInterval  time.Duration `default:"2s" env:"STRATA_NODE_PROBE_INTERVAL" help:"Time between two health checks of a node."`
	NodeProbeTimeout   time.Duration `default:"1s" env:"STRATA_NODE_PROBE_TIMEOUT" help:"Maximum time that a node may take for a health check."`
	NodeLagBlocks      int64         `default:"3" env:"STRATA_NODE_LAG_BLOCKS" help:"Blocks that a node may be behind the others before it lags, and gets requests only when no other node is left."`
	NodeLagTime        time.Duration `default:"30s" env:"STRATA_NODE_LAG_TIME" help:"Time for which a node may be farther behind before it lags."`
	HedgeNodeReads     bool          `env:"STRATA_HEDGE_NODE_READS" help:"Send a light or medium read to a second node as well when it takes longer than 95 % of the earlier ones."`
}

// checkLimits checks the flags. Without nodes they have no effect, and may be zero.
func (f *nodeLimitFlags) checkLimits(nodes int) error {
	for _, flag := range []struct {
		name  string
		value int64
	}{{"--node-queue", int64(f.NodeQueue)}, {"--node-body-limit", f.NodeBodyLimit}, {"--node-lag-blocks", f.NodeLagBlocks}} {
		if flag.value < 0 || flag.value == 0 && nodes > 0 {
			return fmt.Errorf("%s: %d (want 1 or more)", flag.name, flag.value)
		}
	}
	for _, flag := range []struct {
		name  string
		value time.Duration
	}{
		{"--node-queue-wait", f.NodeQueueWait}, {"--node-connect-timeout", f.NodeConnectTimeout}, {"--node-light-timeout", f.NodeLightTimeout},
		{"--node-medium-timeout", f.NodeMediumTimeout}, {"--node-heavy-timeout", f.NodeHeavyTimeout}, {"--node-stall-timeout", f.NodeStallTimeout},
		{"--node-probe-interval", f.NodeProbeInterval}, {"--node-probe-timeout", f.NodeProbeTimeout}, {"--node-lag-time", f.NodeLagTime},
	} {
		if flag.value < 0 || flag.value < time.Millisecond && nodes > 0 {
			return fmt.Errorf("%s: %v (want 1ms or more)", flag.name, flag.value)
		}
	}
	return nil
}

// apply sets the limits in the configuration of a proxy.
func (f *nodeLimitFlags) apply(config *proxy.Config) {
	config.QueueLength, config.QueueWait, config.BodyLimit, config.Hedge = f.NodeQueue, f.NodeQueueWait, f.NodeBodyLimit, f.HedgeNodeReads
	config.Timeouts = proxy.Timeouts{
		Connect: f.NodeConnectTimeout, Probe: f.NodeProbeTimeout, Light: f.NodeLightTimeout, Medium: f.NodeMediumTimeout, Heavy: f.NodeHeavyTimeout,
		Stall: f.NodeStallTimeout,
	}
	config.LagLimit, config.ProbeInterval = proxy.LagLimit{Blocks: f.NodeLagBlocks, Time: f.NodeLagTime}, f.NodeProbeInterval
}
