package person

import "io/fs"

// closed is told by access lists, which modes do not show.
func closed(fs.FileMode) bool { return true }
