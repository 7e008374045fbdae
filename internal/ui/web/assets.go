package web

import (
	"bytes"
	"net/http"
	"path"
	"strings"
	"time"

	"warp/internal/ui/plot"
)

// generatedAssets maps the names of assets that other packages define to their text.
var generatedAssets = map[string]string{"plot.css": plot.Style}

// contentTypes maps the extension of an asset to its content type.
var contentTypes = map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}

func serveAsset(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/static/")
	text, err := assets.ReadFile("static/" + name)
	if from, ok := generatedAssets[name]; ok {
		text, err = []byte(from), nil
	}
	if err != nil {
		http.Error(w, "there is no such file", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", contentTypes[path.Ext(name)])
	w.Header().Set("Cache-Control", "no-cache")
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(text))
}
