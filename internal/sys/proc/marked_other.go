//go:build !linux

package proc

// EndMarked kills every process whose environment has an assignment. Here it
// is unknown which do.
func EndMarked(string) []int { return nil }

type since struct{ first, forks int }

func endMarked(string, since) []int { return nil }

func countForks() int { return 0 }
