//go:build !windows

package seal

import "io/fs"

// exposed reports whether others than the owner and its group can get at a file.
func exposed(m fs.FileMode) bool { return m.Perm()&0o027 != 0 }
