//go:build !unix

package git

import "os"

func readFile(path string) ([]byte, error) { return os.ReadFile(path) }
