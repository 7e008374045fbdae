//go:build !unix

package git

import "warp/internal/durable"

func readFile(path string) ([]byte, error) { return durable.ReadPlain(path) }
