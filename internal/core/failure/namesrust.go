package failure

import "strings"

// rustNames reads cargo test.
type rustNames struct {
	tally
	target  string
	listing bool // the names below "failures:" are being read
}

func (r *rustNames) line(text string) {
	inner := strings.TrimSpace(text)
	if r.listing {
		if r.listing = strings.HasPrefix(text, "    ") && inner != ""; r.listing {
			r.name(inner)
			return
		}
	}
	switch {
	case text == "failures:":
		r.listing = true
	case strings.HasPrefix(inner, "Running ") && strings.HasSuffix(inner, ")"):
		r.target = binary(inner)
	case strings.HasPrefix(inner, "Doc-tests "):
		r.target = strings.TrimPrefix(inner, "Doc-tests ")
	case strings.HasPrefix(text, "test ") && strings.HasSuffix(text, " ... FAILED"):
		r.name(strings.TrimPrefix(strings.TrimSuffix(text, " ... FAILED"), "test "))
	case strings.HasPrefix(text, "error: could not compile `"):
		crate, _, _ := strings.Cut(text[len("error: could not compile `"):], "`")
		r.once(crate + " [build failed]")
	case strings.HasPrefix(inner, "process didn't exit successfully: ") && !strings.HasSuffix(inner, "(exit status: 101)"):
		r.once(strings.TrimSpace(r.target + " [cut short]"))
	}
}

func (r *rustNames) end() {}

func (r *rustNames) name(test string) {
	test = strings.TrimSuffix(test, " - should panic")
	r.once(strings.TrimSpace(r.target + " " + test))
}

// binary is what a line calls the tests it runs: "area" of
// "Running unittests src/lib.rs (target/debug/deps/area-1a2b3c4d5e6f7a8b)".
func binary(text string) string {
	path := text[strings.LastIndexByte(text, '(')+1 : len(text)-1]
	name := path[strings.LastIndexAny(path, `/\`)+1:]
	name = strings.TrimSuffix(name, ".exe")
	if dash := strings.LastIndexByte(name, '-'); dash > 0 {
		name = name[:dash]
	}
	return name
}
