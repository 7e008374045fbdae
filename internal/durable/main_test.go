package durable_test

import (
	"os"
	"runtime/debug"
	"testing"
)

// The sweeps make much garbage and keep none of it.
func TestMain(m *testing.M) {
	debug.SetGCPercent(800)
	os.Exit(m.Run())
}
