package cli

// Named is named, for tests.
var Named = selectCommands

// Completed are the commands whose arguments are offered to shells.
func Completed() (paths []string) {
	for path := range arguments() {
		paths = append(paths, path)
	}
	return paths
}
