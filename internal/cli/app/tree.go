package app

import (
	"warp/internal/sys/gitwrite"
	"warp/internal/turnstile"
)

// OpenTree opens the work tree of a drive. Where its repository is, is looked for once.
func OpenTree(d *turnstile.Drive) (gitwrite.Tree, error) {
	root, err := d.Project.Repository()
	if err != nil {
		return gitwrite.Tree{}, err
	}
	return gitwrite.At(d.Root(), root), nil
}
