package pipeline

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// origin says who has said some keys, for a plan: flags and variables of the environment
// by their names, files with the line; otherwise is what there is when nobody did.
func origin(at map[string]place, otherwise string, keys ...string) string {
	var all []string
	for _, k := range keys {
		if where, said := at[k]; said && where.src != nil && !slices.Contains(all, where.name()) {
			all = append(all, where.name())
		}
	}
	if len(all) == 0 {
		return otherwise
	}
	return " (" + strings.Join(all, ", ") + ")"
}

// byDefault is the origin of what nobody said.
const byDefault = " (default)"

// name is a place as a plan names it. The files of all stage folders are called the
// same.
func (p place) name() string {
	file := path.Base(p.src.file)
	if dir := path.Base(path.Dir(p.src.file)); file == folderFile || dir == "built-in" {
		file = dir + "/" + file
	}
	if p.line == 0 {
		return p.src.file
	}
	return fmt.Sprintf("%s:%d", file, p.line)
}
