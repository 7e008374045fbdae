package person

import "io/fs"

// closed depends on access lists, which modes do not show.
func closed(fs.FileMode) bool { return true }
