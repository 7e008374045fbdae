//go:build !windows

package seal

import "io/fs"

// exposed reports whether anyone but the owner and its group can access a file.
func exposed(m fs.FileMode) bool { return m.Perm()&0o027 != 0 }
