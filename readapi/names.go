package readapi

import (
	"strata/readapi/audit"
	"strata/readapi/internal/engine"
	"strata/readapi/node"
)

// Types of Config that are declared in the packages that use them.
type (
	// Version identifies a build of the program.
	Version = engine.Version
	// NodeStatus is the status of a node to which requests are forwarded.
	NodeStatus = node.NodeStatus
	// ExecutionCost is the cost of executing transactions, in the dimensions in which blocks are limited.
	ExecutionCost = node.ExecutionCost
	// TransparencyLog serves the log in a form that others can verify.
	TransparencyLog = audit.TransparencyLog
	// LogInclusion proves that an event is in the log.
	LogInclusion = audit.LogInclusion
	// LogConsistency proves that an earlier state of the log is a prefix of a later one.
	LogConsistency = audit.LogConsistency
)

// Prepare configures connections for reading, before the pool is created; see engine.Prepare.
var Prepare = engine.Prepare
