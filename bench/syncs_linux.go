//go:build amd64 || arm64

package main

import (
	"fmt"

	"warp/internal/testkit/ptrace"
)

// syncs counts how often a transition waits for the disk, by tracing the real process.
func syncs(b *bench) ([]figure, error) {
	root, err := b.project("syncs")
	if err != nil {
		return nil, err
	}
	if err := command(b.fire(root)...); err != nil { // the first one creates folders
		return nil, err
	}
	res, err := ptrace.Run(b.fire(root), root, nil, ptrace.Fault{Match: ptrace.Named("fsync", "fdatasync")})
	if err != nil {
		return nil, fmt.Errorf("counting fsyncs: %w", err)
	}
	return []figure{{name: "fsyncs per transition", value: float64(res.Calls), most: 3}}, nil
}
