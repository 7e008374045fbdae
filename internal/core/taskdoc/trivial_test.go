package taskdoc

import "testing"

func TestTrivialTasks(t *testing.T) {
	for name, c := range map[string]struct {
		files   []string
		depends []string
		needed  bool
		want    bool
	}{
		"one file":                  {files: []string{"a.go"}, want: true},
		"two files":                 {files: []string{"a.go", "b.go"}},
		"a pattern":                 {files: []string{"src/**"}},
		"any file":                  {},
		"documentation":             {files: []string{"docs/a.txt", "README.md", "x.rst"}, want: true},
		"documentation by pattern":  {files: []string{"docs/**", "*.md"}, want: true},
		"it depends on another":     {files: []string{"a.go"}, depends: []string{"1.2"}},
		"another depends on it":     {files: []string{"a.go"}, needed: true},
		"documentation beside code": {files: []string{"README.md", "a.go"}},
	} {
		task, other := Task{ID: "1.1", Files: c.files, DependsOn: c.depends}, Task{ID: "1.2"}
		if c.needed {
			other.DependsOn = []string{"1.1"}
		}
		d := &Document{Phases: []Phase{{Tasks: []Task{task, other}}}}
		if got := d.IsTrivial(task); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
