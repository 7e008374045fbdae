//go:build !linux

package sandbox

import (
	"context"
	"errors"
	"time"
)

type rules struct{}

func openLandlock(string) (Box, error) { return nil, errors.New("Landlock exists only on Linux") }

func (Limits) apply() error { return nil }

func become([]string) error { return errBoxes }

func supervise(*rules, time.Duration, []string) (int, error) { return 0, errBoxes }

var errBoxes = errors.New("sandboxes exist only on Linux")

// watch does nothing: only Linux shows what belongs to a run.
func (Limits) watch(context.Context, int, growth, func(string)) {}

type growth struct{}

func newGrowth([]string) growth { return growth{} }

func terminateInside(int, bool) {}

// Within returns false: boxes on this system have no process namespace.
func Within() bool { return false }
