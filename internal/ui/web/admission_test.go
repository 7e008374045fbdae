package web

import (
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// refused are requests that must not get in, each a request that would be answered but
// for one thing. The same rows are in docs/how-to/web.md.
var refused = []struct {
	name   string
	method string
	path   string
	change func(*http.Request)
	code   int
}{
	{"without cookie or token", "GET", "/", func(r *http.Request) { r.Header.Del("Authorization") }, 401},
	{"with another token", "GET", "/", func(r *http.Request) { r.Header.Set("Authorization", "Bearer another token") }, 401},
	{"with a cookie that was made up", "GET", "/", func(r *http.Request) {
		r.Header.Del("Authorization")
		r.AddCookie(&http.Cookie{Name: "warp-8080", Value: "made up"})
	}, 401},
	{"with a code that was used", "GET", "/?code=used", func(r *http.Request) { r.Header.Del("Authorization") }, 401},
	{"to the API, without token", "GET", "/api/v1/items", func(r *http.Request) { r.Header.Del("Authorization") }, 401},
	{"to the event stream, without token", "GET", "/events?page=/", func(r *http.Request) { r.Header.Del("Authorization") }, 401},
	{"with a foreign Host (DNS rebinding)", "GET", "/", func(r *http.Request) { r.Host = "evil.invalid:8080" }, 421},
	{"with the address of another machine as Host", "GET", "/", func(r *http.Request) { r.Host = "192.0.2.7:8080" }, 421},
	{"with another port in Host", "GET", "/", func(r *http.Request) { r.Host = "127.0.0.1:9090" }, 421},
	{"with a foreign Origin", "GET", "/api/v1/items", func(r *http.Request) { r.Header.Set("Origin", "https://evil.invalid") }, 403},
	{"with the Origin null", "POST", "/answer/q1", func(r *http.Request) { r.Header.Set("Origin", "null") }, 403},
	{"from another port of this machine", "POST", "/answer/q1", func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:9090") }, 403},
	{"fetched by a page elsewhere", "GET", "/", func(r *http.Request) {
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		r.Header.Set("Sec-Fetch-Mode", "no-cors")
	}, 403},
	{"a change without CSRF token", "POST", "/answer/q1", func(r *http.Request) { r.Header.Del("X-CSRF-Token") }, 403},
	{"a change with another CSRF token", "POST", "/answer/q1", func(r *http.Request) { r.Header.Set("X-CSRF-Token", "another") }, 403},
	{"to a path outside", "GET", "/static/../../../etc/passwd", nil, 400},
	{"to a path outside, encoded", "GET", "/static/%2e%2e/%2e%2e/openapi.json", nil, 400},
	{"to a log that no row names", "GET", "/issue/7/run/..%2F..%2Fpasswd", nil, 400},
	{"to a page that there is not", "GET", "/nothing", nil, 404},
	{"a button by GET", "GET", "/answer/q1", nil, 404},
}

func TestWhatIsRefused(t *testing.T) {
	page, err := os.ReadFile("../../../docs/how-to/web.md")
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]int{}
	for _, row := range regexp.MustCompile(`(?m)^\| (.+) \| (\d{3}) \|$`).FindAllStringSubmatch(string(page), -1) {
		told[row[1]], _ = strconv.Atoi(row[2])
	}
	for _, c := range refused {
		p := newProject(t, true)
		p.read()
		r := p.request(c.method, "/", "")
		r.URL, err = r.URL.Parse("http://127.0.0.1:8080" + c.path)
		if strings.Contains(c.path, "/../") { // a browser would clean it, an attacker does not
			r.URL.Path = c.path
		}
		if err != nil {
			t.Fatal(err)
		}
		if c.change != nil {
			c.change(r)
		}
		w := p.do(r)
		if w.Code != c.code {
			t.Errorf("%s: %d, want %d\n%s", c.name, w.Code, c.code, w.Body)
		}
		if told[c.name] != c.code {
			t.Errorf("docs/how-to/web.md says %d of a request %s", told[c.name], c.name)
		}
		delete(told, c.name)
		if len(p.lines) > 0 {
			t.Errorf("%s: it ran %q", c.name, p.lines)
		}
	}
	if len(told) > 0 {
		t.Errorf("docs/how-to/web.md has rows that no test has: %v", told)
	}
}

func TestACodeLetsOneBrowserInOnce(t *testing.T) {
	p := newProject(t, false)
	p.read()
	first := func(code string) *httptest.ResponseRecorder {
		return p.do(httptest.NewRequest(http.MethodGet, "http://localhost:8080/?code="+code, nil))
	}
	code := p.door.NewCode()
	w := first(code)
	cookies := w.Result().Cookies()
	if w.Code != http.StatusOK || len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode {
		t.Fatalf("%d %v", w.Code, cookies)
	}
	if again := first(code); again.Code != http.StatusUnauthorized || len(again.Result().Cookies()) > 0 {
		t.Errorf("the code let a second browser in: %d", again.Code)
	}
	old := p.door.NewCode()
	p.door.NewCode()
	if w := first(old); w.Code != http.StatusUnauthorized {
		t.Errorf("a code that was replaced: %d", w.Code)
	}
	r := httptest.NewRequest(http.MethodGet, "http://localhost:8080/", nil)
	r.AddCookie(cookies[0])
	w = p.do(r)
	if w.Code != http.StatusOK {
		t.Fatalf("the cookie does not let in: %d", w.Code)
	}
	for name, want := range headers {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestOnlyReadingUnlessAllowed(t *testing.T) {
	p := newProject(t, false)
	p.worked()
	p.read()
	for _, path := range []string{"/do/resume/drive/8", "/answer/q1", "/restore/x", "/api/v1/items/drive/8/resume"} {
		if w := p.do(p.request(http.MethodPost, path, "say=x")); w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), "--allow-control") {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	if len(p.lines) > 0 {
		t.Errorf("%q", p.lines)
	}
}
