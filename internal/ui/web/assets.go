package web

import (
	"bytes"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/alecthomas/chroma/v2/formatters/html"
	"github.com/alecthomas/chroma/v2/styles"

	"warp/internal/ui/plot"
)

// made are assets that are made from a library, once.
var made = map[string]func() []byte{"syntax.css": sync.OnceValue(syntaxCSS), "plot.css": func() []byte { return []byte(plot.Style) }}

// kinds are the types of assets.
var kinds = map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}

func serveAsset(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/static/")
	text, err := assets.ReadFile("static/" + name)
	if from, ok := made[name]; ok {
		text, err = from(), nil
	}
	if err != nil {
		http.Error(w, "there is no such file", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", kinds[path.Ext(name)])
	w.Header().Set("Cache-Control", "no-cache")
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(text))
}

// syntaxCSS are the colours of code, for light and dark.
func syntaxCSS() []byte {
	var b bytes.Buffer
	f := html.New(html.WithClasses(true))
	for _, s := range []struct{ open, style, end string }{{"@media not (prefers-color-scheme: dark) {\n", "github", "}\n"}, {"@media (prefers-color-scheme: dark) {\n", "github-dark", "}\n"}} {
		b.WriteString(s.open)
		_ = f.WriteCSS(&b, styles.Get(s.style)) // into memory
		b.WriteString(s.end)
	}
	return b.Bytes()
}
