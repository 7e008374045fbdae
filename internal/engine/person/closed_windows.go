package person

import "io/fs"

// closed is always true: access lists decide here, which modes do not show.
func closed(fs.FileMode) bool { return true }
