package taskdoc

import "slices"

// SameTask reports whether two tasks ask for the same, wherever they are in the document.
func SameTask(a, b Task) bool {
	return a.Name == b.Name && a.Description == b.Description && slices.Equal(a.Files, b.Files) && slices.Equal(a.DependsOn, b.DependsOn) &&
		slices.EqualFunc(a.Criteria, b.Criteria, func(x, y Criterion) bool { return x.Text == y.Text && x.Run == y.Run })
}
