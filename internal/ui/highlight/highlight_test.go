package highlight

import (
	"strings"
	"testing"
)

// show spells tokens as class:text.
func show(tokens []Token) string {
	var out []string
	for _, t := range tokens {
		if t.Class == "" {
			out = append(out, t.Text)
		} else {
			out = append(out, t.Class+"⟨"+t.Text+"⟩")
		}
	}
	return strings.Join(out, "")
}

func TestWhatIsColoured(t *testing.T) {
	for _, c := range []struct{ name, code, want string }{
		{"a.go", `return "a\"b" + 'x' // it's`, `k⟨return⟩ s⟨"a\"b"⟩ + s⟨'x'⟩ c⟨// it's⟩`},
		{"dir/A.GO", "x := `raw \\` + 0x1F.5", "x := s⟨`raw \\`⟩ + m⟨0x1F.5⟩"},
		{"a.go", "returned, func1 := über", "returned, func1 := über"},
		{"a.rs", `fn f<'a>(x: &'a str) {}`, `k⟨fn⟩ f<'a>(x: &'a str) {}`},
		{"a.py", `x = "don't" # why`, `x = s⟨"don't"⟩ c⟨# why⟩`},
		{"a.sh", `echo $# ${#x} # c`, `k⟨echo⟩ $# ${#x} c⟨# c⟩`},
		{"Makefile", `ifeq (a,b)`, `k⟨ifeq⟩ (a,b)`},
		{"a.sql", `SELECT 1 -- one`, `k⟨SELECT⟩ m⟨1⟩ c⟨-- one⟩`},
		{"a.json", `{"a": [true, -1.5e3]}`, `{s⟨"a"⟩: [k⟨true⟩, -m⟨1.5e3⟩]}`},
		{"a.html", `it's <a href="x"><!-- y --> it's`, `it's <a href=s⟨"x"⟩>c⟨<!-- y -->⟩ it's`},
		{"a.go", `"open`, `"open`},
		{"a.go", "\xff\xfe'", "\xff\xfe'"},
		{"a.go", "", ""},
	} {
		if got := show(Lines(c.name, []string{c.code})[0]); got != c.want {
			t.Errorf("%s: %q\n got %s\nwant %s", c.name, c.code, got, c.want)
		}
	}
	if Lines("a.unknown", []string{"x"}) != nil || Lines("README", nil) != nil {
		t.Error("a language is made up")
	}
}

func TestCommentsGoOverLines(t *testing.T) {
	got := ""
	for _, l := range Lines("a.go", []string{"a /* b", "c", "d */ if `x", "y` /**/ z"}) {
		got += show(l) + "\n"
	}
	if want := "a c⟨/* b⟩\nc⟨c⟩\nc⟨d */⟩ k⟨if⟩ s⟨`x⟩\ns⟨y`⟩ c⟨/**/⟩ z\n"; got != want {
		t.Errorf("got %swant %s", got, want)
	}
}

// Whatever a file has, nothing is lost, added or moved.
func FuzzNothingIsLost(f *testing.F) {
	f.Add("a.go", "if x { /* `\" */ }\n'\\")
	f.Add("a.py", `""" ' # `+"\xc3")
	f.Fuzz(func(t *testing.T, name, code string) {
		lines := strings.Split(code, "\n")
		for n, tokens := range Lines(name, lines) {
			all := ""
			for _, one := range tokens {
				all += one.Text
			}
			if all != lines[n] {
				t.Errorf("%q became %q", lines[n], all)
			}
		}
	})
}
