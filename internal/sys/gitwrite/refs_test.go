package gitwrite

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestMove(t *testing.T) {
	b := newBox(t)
	ctx := context.Background()
	one := b.git("rev-parse", "HEAD")
	b.write("a", "2\n")
	two := b.commit()
	b.write("b", "dirty\n")
	b.ok(b.Move(ctx, "new", one, ""))
	b.ok(b.Move(ctx, "new", two, one))
	for _, was := range []string{"", one} {
		if err := b.Move(ctx, "new", one, was); !errors.Is(err, errMoved) {
			t.Errorf("from %q: %v", was, err)
		}
	}
	if err := b.Move(ctx, "none", one, two); !errors.Is(err, errMoved) {
		t.Errorf("got %v", err)
	}
	for _, bad := range []string{"", "-f", "a..b", "HEAD", "x y"} {
		if err := b.Move(ctx, bad, one, ""); err == nil {
			t.Errorf("%q", bad)
		}
	}
	b.ok(b.Move(ctx, "main", one, two))
	b.wantStatus("M  a", " M b")
}

func TestKeep(t *testing.T) {
	b := newBox(t)
	ctx := context.Background()
	b.write("untracked", "only in a snapshot\n")
	tree, commit := b.snap(), b.git("rev-parse", "HEAD")
	for range 2 {
		b.ok(b.Keep(ctx, "base/1", tree))
		b.ok(b.Keep(ctx, "base/2", commit))
		b.ok(b.Keep(ctx, "else", commit))
	}
	got, err := b.Kept(ctx, "base/")
	if want := []Ref{{"base/1", tree}, {"base/2", commit}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	b.git("gc", "-q", "--prune=now")
	b.wantBlob(tree+":untracked", "only in a snapshot\n")
	b.ok(b.Drop(ctx, "base/1"))
	b.ok(b.Drop(ctx, "base/1"))
	b.git("gc", "-q", "--prune=now")
	if out, err := b.try("cat-file", "-t", tree); err == nil {
		t.Errorf("still a %s", out)
	}
	if all, err := b.Kept(ctx, ""); err != nil || len(all) != 2 {
		t.Errorf("got %+v, %v", all, err)
	}
	if err := b.Keep(ctx, "x", strings.Repeat("1", 40)); err == nil {
		t.Error("kept what is not there")
	}
}

func TestDiffAndStat(t *testing.T) {
	b := newBox(t)
	ctx := context.Background()
	b.git("config", "diff.external", "false")
	b.git("config", "color.ui", "always")
	b.git("config", "diff.noprefix", "true")
	b.write(".gitattributes", "*.bin diff=x\n")
	b.git("config", "diff.x.textconv", "false")
	b.git("config", "diff.x.command", "false")
	b.write("x.bin", "1\n")
	one := b.commit()
	b.write("crlf", "x\r\n")
	b.write("blob", "\x00")
	b.git("mv", "a", "moved")
	b.write("x.bin", "2\n")
	b.write("b", with(lines("b", 9), "b1", "new"))
	b.git("add", "-A")
	two := b.commit()
	text, cut, err := b.Diff(ctx, one, two, 1<<20)
	if err != nil || cut || !strings.Contains(text, "\n+x\r\n") || !strings.Contains(text, "rename from a\n") || !strings.Contains(text, "--- a/b\n+++ b/b\n") || strings.Contains(text, "\x1b") || !strings.Contains(text, "-1\n+2\n") {
		t.Errorf("got %q, %v, %v", text, cut, err)
	}
	patch := func(text string) string { // without what stands before it
		for strings.HasPrefix(text, "#") {
			text = text[strings.IndexByte(text, '\n')+1:]
		}
		return text
	}
	for _, most := range []int{0, 10, 200, len(patch(text)) - 1} {
		part, cut, err := b.Diff(ctx, one, two, most)
		got := patch(part)
		if err != nil || !cut || len(got) > most || !strings.HasPrefix(patch(text), got) || got != "" && !strings.HasSuffix(got, "\n") {
			t.Errorf("%d: %q, %v, %v", most, part, cut, err)
		}
		if !strings.Contains(part, "# All files that differ, 5:\n#   \"b\"\n#   \"blob\"\n") {
			t.Errorf("%d: the files are not named: %q", most, part)
		}
	}
	if whole, cut, err := b.Diff(ctx, one, two, len(text)); err != nil || cut || whole != text {
		t.Errorf("cut %v, %v", cut, err)
	}
	s, err := b.Stat(ctx, one, two)
	if err != nil || s.Files != 5 || s.Insertions != 3 || s.Deletions != 2 || !slices.Equal(s.Paths, []string{"b", "blob", "crlf", "moved", "x.bin"}) {
		t.Errorf("got %+v, %v", s, err)
	}
	if _, _, err := b.Diff(ctx, "--output=x", two, 10); err == nil {
		t.Error("an option")
	}
	if _, _, err := b.Diff(ctx, strings.Repeat("1", 40), two, 10); err == nil {
		t.Error("no such tree")
	}
	b.clean()
}

// Nothing hides from the reader of a diff: attributes, names of binary files, links,
// other repositories, rights.
func TestNothingHidesInADiff(t *testing.T) {
	b := newBox(t)
	b.write("evil.txt", "one\n")
	one := b.commit()
	b.write(".gitattributes", "*.txt -diff\n*.md binary\n* diff=x\n")
	b.write("evil.txt", "two\n")
	b.write("new.md", "hidden words\n")
	b.write("data.go", "package x\x00 // not shown")
	b.write("run", "echo\n")
	b.git("add", "-A")
	b.git("update-index", "--chmod=+x", "run")
	for name, target := range map[string]string{"in": "evil.txt", "out": "../../x", "root": "/etc/passwd"} {
		b.write("target", target)
		blob := b.git("hash-object", "-w", "target")
		b.git("update-index", "--add", "--cacheinfo", "120000,"+blob+","+name)
	}
	b.git("update-index", "--add", "--cacheinfo", "160000,"+one+",other")
	b.git("commit", "-qm", "all")
	text, cut, err := b.Diff(context.Background(), one, b.git("rev-parse", "HEAD"), 1<<20)
	if err != nil || cut {
		t.Fatal(cut, err)
	}
	for _, want := range []string{"-one\n+two\n", "+hidden words\n", `# "data.go" has NUL bytes`, `# "run" can be executed now`, `# "in" is a link to "evil.txt", inside`,
		`# "out" is a link to "../../x", outside`, `# "root" is a link to "/etc/passwd", outside`, `# "other" is another repository`} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not said in\n%s", want, text)
		}
	}
	if strings.Contains(text, "not shown\n+") || strings.Contains(text, "\x00") {
		t.Errorf("it has what is no text: %q", text)
	}
}

func TestDiffOfMuchTakesLittle(t *testing.T) {
	b := newBox(t)
	b.write("big", strings.Repeat(strings.Repeat("x", 99)+"\n", 200_000))
	one := b.git("rev-parse", "HEAD")
	text, cut, err := b.Diff(context.Background(), one, b.commit(), 1000)
	if err != nil || !cut || len(text) > 1200 || len(text) < 800 {
		t.Errorf("%d bytes, %v, %v", len(text), cut, err)
	}
}
