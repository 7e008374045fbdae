package suite

import (
	"strings"

	"warp/internal/core/testintegrity"
)

// IsTest reports whether a path is a test or is read by tests: by the conventions of its language,
// or because it is among tests, fixtures and recorded outputs. Such a file decides what is tested;
// RunnerFiles lists those that decide how.
func IsTest(path string) bool {
	return testintegrity.IsTest(path) || testintegrity.IsTestData(strings.TrimPrefix(path, "./"))
}
