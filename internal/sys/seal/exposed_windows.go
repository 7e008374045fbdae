package seal

import "io/fs"

// exposed is told by access lists, which modes do not show.
func exposed(fs.FileMode) bool { return false }
