package git

import (
	"reflect"
	"strings"
	"testing"
)

func TestAdded(t *testing.T) {
	b := newBox(t)
	b.write("a", "one\ntwo\n")
	b.write("old", "gone\n")
	from := b.snap()
	b.write("a", "zero\none\ntwo\nthree\n")
	b.write("b c", "new\n")
	b.write("old", "")
	to := b.snap()
	got, err := b.Trees().Added(t.Context(), from, to, 1<<20)
	if want := []Line{{"a", 1, "zero"}, {"a", 4, "three"}, {"b c", 1, "new"}}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	if place := got[1].Place(); place != "a:4" {
		t.Error(place)
	}
	if got, err := b.Trees().Added(t.Context(), from, strings.Repeat("0", 40), 1<<20); err == nil {
		t.Errorf("a tree that is not there: %+v", got)
	}
}

func TestParseAdded(t *testing.T) {
	text := "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@ func\n-a\n+++ b/not a file\n+b\n\\ No newline at end of file\n@@ -9,0 +11 @@\n+c\n" +
		"diff --git \"a/\\303\\244\" \"b/\\303\\244\"\nnew file mode 100644\n--- /dev/null\n+++ \"b/\\303\\244\"\n@@ -0,0 +1 @@\n+d\ndiff --git a/bin b/bin\nBinary files a/bin and b/bin differ\n"
	want := []Line{{"x", 1, "++ b/not a file"}, {"x", 2, "b"}, {"x", 11, "c"}, {`\303\244`, 1, "d"}}
	if got := parseAdded(text); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}
