package plugin

import "io/fs"

// Paths are where warp init writes the commands and skills in a project.
func Paths() (list []string) {
	err := fs.WalkDir(Files, ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			list = append(list, ".claude/"+path)
		}
		return err
	})
	if err != nil {
		panic(err) // the files are part of the program
	}
	return list
}
