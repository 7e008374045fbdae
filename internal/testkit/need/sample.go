package need

import (
	"os"
	"slices"
)

// Whole reports whether everything is to be tried rather than a sample, as make crash and its
// like do.
func Whole() bool { return os.Getenv("WARP_SWEEP") != "" }

// Sample returns the cases that make test tries: one of each kind. With Whole it returns the
// others as well.
func Sample[T any](sample []T, others ...T) []T {
	if Whole() {
		return slices.Concat(sample, others)
	}
	return sample
}
