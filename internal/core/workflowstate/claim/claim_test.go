package claim

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"warp/internal/core/lossless"
)

var noon = time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)

const lease = time.Minute

func TestOverlap(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"src/a.go", "src/a.go", true},
		{"src/a.go", "src/b.go", false},
		{"src", "src/deep/b.go", true},
		{"src/", "./src/b.go", true},
		{"src/a", "src/ab", false},
		{"etc/conf.d", "**/x.yaml", true},
		{`src\a.go`, "src/a.go", true},
		{"SRC/A.go", "src/a.go", true}, // one file, on some disks
		{"src/*.go", "src/a.go", true},
		{"src/*.go", "src/a.ts", false},
		{"src/*.go", "src/deep/a.go", false},
		{"src/*.go", "src/a*", true},
		{"src/a*.go", "src/*b.go", true},
		{"src/a*.go", "src/b*.go", false},
		{"src/?.go", "src/ab.go", false},
		{"src/?.go", "src/*.go", true},
		{"src/**", "src/deep/er/a.go", true},
		{"**/user.go", "src/models/user.go", true},
		{"**/user.go", "src/models/order.go", false},
		{"**/*.sql", "src/**/001.*", true},
		{"**/*.sql", "src/**/001.ts", false},
		{"a/**/z.go", "a/z.go", true},
		{"a/**b/z.go", "a/x/y/zb/z.go", true},
		{"src/[id].tsx", "src/users.tsx", true}, // a class, or a name: on the safe side
		{"src/[", "src/a", true},
		{"src/{a,b/c}.go", "src/b/c.go", true},
		{"src/{a,b}.go", "lib/a.go", false},
		{".", "lib/a.go", true},
		{"../x", "lib/a.go", true},
		{"/etc", "lib/a.go", true},
		{"", "lib/a.go", true},
	} {
		if Overlap([]string{c.a}, []string{c.b}) != c.want || Overlap([]string{c.b}, []string{c.a}) != c.want {
			t.Errorf("%q and %q: want %v", c.a, c.b, c.want)
		}
	}
	if !Overlap(nil, []string{"a"}) || !Overlap([]string{"a"}, nil) || !Overlap(nil, nil) {
		t.Error("an empty list claims everything")
	}
}

func TestCovers(t *testing.T) {
	for _, c := range []struct {
		claimed, file string
		want          bool
	}{
		{"src/auth", "src/auth/jwt.ts", true},
		{"src/auth/**", "src/auth/a/b.ts", true},
		{"src/auth/jwt.ts", "src/auth", false}, // the folder is more than was claimed
		{"src/auth/*.ts", "src/auth/jwt.ts", true},
		{"src/auth/*.ts", "src/auth/jwt.go", false},
		{"src/*/jwt.ts", "src/auth/jwt.ts", true},
		{"src/a/**", "src/a", true},
		{"app/users.tsx", "app/[id].tsx", false},
		{"app/[id].tsx", "app/[id].tsx", true},
		{"src/auth", "SRC/auth/x", false},
		{".", "x", true},
	} {
		if Covers([]string{"docs/x.md", c.claimed}, c.file) != c.want {
			t.Errorf("%q covers %q: want %v", c.claimed, c.file, c.want)
		}
	}
	if !Covers(nil, "x") {
		t.Error("no paths are all paths")
	}
}

func TestAClaimIsRefusedWhileAnotherLives(t *testing.T) {
	var l Locks
	if err := l.Claim("1.1", "a", []string{"src/**"}, noon, lease); err != nil {
		t.Fatal(err)
	}
	err := l.Claim("1.2", "a", []string{"docs", "src/x.go"}, noon, lease)
	var conflict *Conflict
	if !errors.As(err, &conflict) || conflict.With.Task != "1.1" || conflict.Path != "src/x.go" || !strings.Contains(err.Error(), `"src/x.go"`) {
		t.Fatal(err)
	}
	if err := l.Claim("1.2", "a", nil, noon, lease); err == nil || !strings.Contains(err.Error(), "everything") {
		t.Fatal(err)
	}
	if err := l.Claim("1.1", "b", []string{"docs"}, noon, lease); err == nil || !strings.Contains(err.Error(), "task 1.1 is a's until 2026-01-15T12:01:00Z") {
		t.Fatal(err)
	}
	if err := l.Claim("1.1", "a", []string{"lib"}, noon.Add(time.Second), lease); err != nil || len(l.Locks) != 1 || l.Locks[0].Claimed != "2026-01-15T12:00:00Z" {
		t.Fatal(err, l.Locks)
	}
	if err := l.Claim("1.2", "a", []string{"src"}, noon, lease); err != nil {
		t.Fatal("what was given up by claiming again is free: ", err)
	}
	if got := fmt.Sprint(l.Others("1.2", noon), l.Others("1.1", noon)); got != "[lib] [src]" {
		t.Error(got)
	}
}

func TestLeases(t *testing.T) {
	var l Locks
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(l.Claim("1.1", "a", nil, noon, lease))
	if got := l.Others("1.2", noon); len(got) != 1 || !Covers(got, "any/file") {
		t.Error(got)
	}
	if !l.Renew("1.1", "a", noon.Add(50*time.Second), lease) || l.Renew("1.1", "b", noon, lease) || l.Renew("9", "a", noon, lease) {
		t.Error("a living claim is renewed, by its holder")
	}
	if err := l.Claim("1.2", "b", nil, noon.Add(90*time.Second), lease); err == nil {
		t.Error("it was renewed")
	}
	late := noon.Add(110 * time.Second)
	if l.Renew("1.1", "a", late, lease) {
		t.Error("a stale claim cannot be renewed")
	}
	must(l.Claim("1.2", "b", nil, late, lease))
	if len(l.Locks) != 1 || l.Locks[0].Task != "1.2" {
		t.Error(l.Locks)
	}
	if l.Release("1.2", "a") || !l.Release("1.2", "b") || l.Release("1.2", "b") {
		t.Error("released once, by its holder")
	}
	must(l.Claim("1.1", "a", []string{"a"}, noon, lease))
	must(l.Claim("1.2", "b", []string{"b"}, noon, lease))
	must(l.Claim("1.3", "c", []string{"c"}, noon, time.Hour))
	swept := l.Sweep(noon, func(holder string) bool { return holder == "b" })
	if len(swept) != 1 || swept[0].Task != "1.2" {
		t.Error(swept)
	}
	if swept := l.Sweep(noon.Add(lease), func(string) bool { return false }); len(swept) != 1 || swept[0].Task != "1.1" || len(l.Locks) != 1 {
		t.Error(swept)
	}
	l.Locks[0].Expires = "soon"
	if l.Locks[0].Living(noon) {
		t.Error("a lease that cannot be read is none")
	}
}

func TestTheDocumentIsKept(t *testing.T) {
	const text = `{"theirs":1,"locks":[{"task":"1","holder":"a","paths":["x"],"claimed":"","renewed":"","expires":"2026-01-15T12:00:01Z","theirs":2}]}`
	src, err := lossless.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var l Locks
	if err := lossless.Decode(src, &l); err != nil || Validate(&l) != nil {
		t.Fatal(err)
	}
	if err := l.Claim("1", "a", []string{"y"}, noon, lease); err != nil {
		t.Fatal(err)
	}
	got := string(lossless.AppendCompact(nil, lossless.Encode(l, src)))
	if strings.Count(got, "theirs") != 2 || !strings.Contains(got, `["y"]`) {
		t.Error(got)
	}
	l.Locks[0].Task = " "
	if err := Validate(&l); err == nil || !strings.Contains(err.Error(), "locks[0].task") {
		t.Error(err)
	}
}

// Whatever is claimed, renewed, released and left to die: no file is in the
// claims of two tasks that live.
func TestLivingClaimsNeverOverlap(t *testing.T) {
	dirs := []string{"a", "b", "a/b", "b/a"}
	files := []string{"x.go", "y.go", "z.ts"}
	globs := rapid.Custom(func(t *rapid.T) string {
		dir := rapid.SampledFrom(append([]string{"*", "**", "?", "a/*"}, dirs...)).Draw(t, "dir")
		file := rapid.SampledFrom(append([]string{"*", "**", "*.go", "x.*", "?.go", "[xy].go", "{x,z}.*"}, files...)).Draw(t, "file")
		return dir + "/" + file
	})
	rapid.Check(t, func(t *rapid.T) {
		var l Locks
		now := noon
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			task := rapid.SampledFrom([]string{"1", "2", "3", "4"}).Draw(t, "task")
			holder := rapid.SampledFrom([]string{"h", "i"}).Draw(t, "holder")
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0:
				l.Renew(task, holder, now, lease)
			case 1:
				l.Release(task, holder)
			case 2:
				l.Sweep(now, func(string) bool { return false })
			default:
				_ = l.Claim(task, holder, rapid.SliceOfN(globs, 0, 3).Draw(t, "globs"), now, lease)
			}
			now = now.Add(time.Duration(rapid.IntRange(0, 40).Draw(t, "seconds")) * time.Second)
			owners := map[string]string{}
			held := map[string]bool{}
			for _, o := range l.Locks {
				if !o.Living(now) {
					continue
				}
				if held[o.Task] {
					t.Fatalf("task %s is held twice: %v", o.Task, l.Locks)
				}
				held[o.Task] = true
				for _, d := range dirs {
					for _, f := range files {
						path := d + "/" + f
						if !Covers(o.Paths, path) {
							continue
						}
						if other := owners[path]; other != "" {
							t.Fatalf("%s is claimed by %s and %s: %v", path, other, o.Task, l.Locks)
						}
						owners[path] = o.Task
					}
				}
			}
		}
	})
}

// Overlap must see what Covers sees: a file in both claims.
func TestOverlapIsOnTheSafeSide(t *testing.T) {
	piece := rapid.StringMatching(`[ab]{0,2}[*?]{0,2}[ab]{0,2}(\.go)?`)
	glob := rapid.Map(rapid.SliceOfN(piece, 1, 4), func(s []string) string { return "a" + strings.Join(s, "/") })
	name := rapid.Map(rapid.SliceOfN(rapid.StringMatching(`[abA]{1,4}(\.go)?`), 1, 4), func(s []string) string { return strings.Join(s, "/") })
	rapid.Check(t, func(t *rapid.T) {
		a, b, file := glob.Draw(t, "a"), glob.Draw(t, "b"), name.Draw(t, "file")
		if Covers([]string{a}, file) && Covers([]string{b}, file) && !Overlap([]string{a}, []string{b}) {
			t.Fatalf("%q and %q both cover %q", a, b, file)
		}
	})
}
