// Package e2e shows warp on real coding agents: the released programs, offline,
// against stand-ins for their APIs. It has only tests.
package e2e
