package suite

import (
	"strings"

	"warp/internal/core/quality"
)

// IsTest reports whether a path is a test or is read by tests: by the conventions of its
// language, or because it lies among tests, fixtures and recorded outputs. Such a file
// decides what is tested; RunnerFiles names those that decide how.
func IsTest(path string) bool {
	return quality.IsTest(path) || quality.IsTestData(strings.TrimPrefix(path, "./"))
}
