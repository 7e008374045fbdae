package web

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"warp/internal/core/questions"
)

// description is what the test reads of openapi.json.
type description struct {
	Paths map[string]map[string]struct {
		Parameters []struct {
			Name, In string
			Required bool
		}
		Responses map[string]struct {
			Content map[string]struct{ Schema schema }
		}
	}
	Components struct{ Schemas map[string]schema }
}

type schema struct {
	Ref        string `json:"$ref"`
	Required   []string
	Properties map[string]schema
	Items      *schema
}

func describe(t *testing.T, p *project) (d description) {
	t.Helper()
	if err := json.Unmarshal([]byte(p.get("/api/v1/openapi.json")), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// What the description has, there is, and what there is, it has.
func TestTheDescriptionHasAllAddresses(t *testing.T) {
	d := describe(t, newProject(t, true))
	told := map[string]bool{}
	for path, methods := range d.Paths {
		for method, o := range methods {
			told[strings.ToUpper(method)+" "+path] = true
			for part := range strings.SplitSeq(path, "/") {
				name := strings.Trim(part, "{}")
				if name != part && !slices.ContainsFunc(o.Parameters, func(p struct {
					Name, In string
					Required bool
				}) bool {
					return p.Name == name && p.In == "path" && p.Required
				}) {
					t.Errorf("%s %s does not describe %s", method, path, name)
				}
			}
		}
	}
	have := map[string]bool{"GET /openapi.json": true}
	for _, r := range resources() {
		have[r.method+" "+r.path] = true
	}
	if !maps.Equal(told, have) {
		t.Errorf("described: %v\nanswered: %v", slices.Sorted(maps.Keys(told)), slices.Sorted(maps.Keys(have)))
	}
}

// Answers have the members that the description requires, and no others.
func TestAnswersAreAsDescribed(t *testing.T) {
	p := newFleetProject(t, true)
	p.worked()
	p.asked(questions.Question{By: questions.Agent, Text: "Which?", Options: []string{"a", "b"}, Default: "a", Issue: "7"}, 0)
	p.say = func(args []string) Said { return Said{Out: []byte(`{}`), Text: "said"} }
	p.read()
	d := describe(t, p)
	for _, c := range []struct{ method, path, address, form string }{
		{"GET", "/session", "/session", ""},
		{"GET", "/items", "/items?state=failed", ""},
		{"GET", "/items/{kind}/{name}", "/items/drive/7", ""},
		{"GET", "/issues/{issue}/evidence", "/issues/7/evidence", ""},
		{"GET", "/questions", "/questions?all=yes", ""},
		{"GET", "/log", "/log?name=7", ""},
		{"GET", "/health", "/health?again=yes", ""},
		{"POST", "/questions/{id}/answer", "/questions/q1/answer", "say=b"},
		{"POST", "/items/{kind}/{name}/{verb}", "/items/drive/8/resume", ""},
		{"POST", "/workflows/{name}/restore", "/workflows/none/restore", "checkpoint=1"},
		{"GET", "/fleet", "/fleet", ""},
		{"GET", "/fleet/{repo}/{issue}", "/fleet/shop/40", ""},
		{"POST", "/fleet/{verb}", "/fleet/pause", ""},
		{"POST", "/fleet/{repo}/{issue}/answer", "/fleet/shop/45/answer", "say=files"},
		{"POST", "/fleet/{repo}/{issue}/{verb}", "/fleet/shop/45/stop", ""},
	} {
		w := p.do(p.request(c.method, apiRoot+c.address, c.form))
		want := d.Paths[c.path][strings.ToLower(c.method)].Responses["200"].Content["application/json"].Schema
		if w.Code == http.StatusNotFound {
			want = schema{Ref: "#/components/schemas/Problem"}
		} else if w.Code != http.StatusOK {
			t.Errorf("%s %s: %d\n%s", c.method, c.address, w.Code, w.Body)
		}
		var got any
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		d.compare(t, c.method+" "+c.address, want, got)
	}
	for _, path := range []string{"/items/drive/99", "/nothing", "/questions/q1/answer"} {
		w := p.do(p.request(http.MethodGet, apiRoot+path, ""))
		if kind := w.Header().Get("Content-Type"); w.Code != http.StatusNotFound || kind != "application/json; charset=utf-8" {
			t.Errorf("%s: %d %s", path, w.Code, kind)
		}
	}
}

func (d description) compare(t *testing.T, at string, want schema, got any) {
	t.Helper()
	if name, ok := strings.CutPrefix(want.Ref, "#/components/schemas/"); ok {
		want = d.Components.Schemas[name]
	}
	if list, ok := got.([]any); ok && want.Items != nil {
		for _, one := range list {
			d.compare(t, at+"[]", *want.Items, one)
		}
	}
	members, ok := got.(map[string]any)
	if !ok || len(want.Properties) == 0 {
		return
	}
	for _, name := range want.Required {
		if _, has := members[name]; !has {
			t.Errorf("%s has no %s", at, name)
		}
	}
	for name, value := range members {
		if s, described := want.Properties[name]; described {
			d.compare(t, at+"."+name, s, value)
		} else {
			t.Errorf("%s has %s, which is not described", at, name)
		}
	}
}
