package cost

import "os"

// width is not asked for: a console of 80 columns shows everything.
func width(*os.File) int { return 0 }
