package proc

import "os"

// hasMore is not known here.
func hasMore(*os.File) bool { return false }
