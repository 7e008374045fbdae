//go:build !windows

package person

import "io/fs"

// closed reports whether only the owner can access a file.
func closed(m fs.FileMode) bool { return m.Perm()&0o077 == 0 }
