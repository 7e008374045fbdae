package lossless

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// document has a field of every type that a document may use.
type document struct {
	Name   string          `json:"name"`
	Count  int             `json:"count"`
	Epoch  int64           `json:"epoch"`
	Ratio  float64         `json:"ratio"`
	On     bool            `json:"on"`
	Note   *string         `json:"note"`
	Inner  inner           `json:"inner"`
	Rows   []row           `json:"rows"`
	Lists  [][]string      `json:"lists"`
	Places map[string]spot `json:"places"`
	Any    *Value          `json:"any"`
	Many   []*Value        `json:"many"`
	Extra  string          `json:"extra,omitempty"`
	Late   *inner          `json:"late,omitempty"`
	Tags   []string        `json:"tags,omitempty"`

	Skipped string
	Dashed  string `json:"-"`
}

type inner struct {
	A int    `json:"a"`
	B string `json:"b,omitempty"`
}

type row struct {
	Origin
	ID   int    `json:"id"`
	Text string `json:"text,omitempty"`
}

type spot struct {
	X int `json:"x"`
	Y int `json:"y,omitempty"`
}

// alike compares documents by what they say, not by where it was read.
var alike = cmp.Options{cmp.Comparer(Equal), cmp.Comparer(func(a, b Origin) bool { return true })}

func decoded(t testing.TB, text string) (document, *Value) {
	t.Helper()
	src := mustParse(t, text)
	var d document
	if err := Decode(src, &d); err != nil {
		t.Fatalf("Decode(%s): %v", text, err)
	}
	return d, src
}

func ptr[T any](x T) *T { return &x }

func TestDecodeFillsEveryType(t *testing.T) {
	d, _ := decoded(t, `{
		"unknown": {"deep": [1]}, "Skipped": "s", "-": "d",
		"tags": ["t"], "late": {"a": 4}, "extra": "e", "many": [1, "x"], "any": {"free": 1.0},
		"places": {"p": {"x": 1, "y": 2}, "": {"x": 3}}, "lists": [["a", "b"], [], null],
		"rows": [{"id": 1}, {"id": 2, "text": "two"}], "inner": {"a": 7, "b": "\u0062"},
		"note": "n", "on": true, "ratio": 1.5e0, "epoch": 1778255819402, "count": 3.0, "name": "caf\u00e9"
	}`)
	want := document{
		Name: "café", Count: 3, Epoch: 1778255819402, Ratio: 1.5, On: true, Note: ptr("n"), Inner: inner{7, "b"},
		Rows:  []row{{ID: 1}, {ID: 2, Text: "two"}},
		Lists: [][]string{{"a", "b"}, {}, nil}, Places: map[string]spot{"p": {1, 2}, "": {X: 3}},
		Any: mustParse(t, `{"free":1.0}`), Many: []*Value{NewInt(1), NewString("x")},
		Extra: "e", Late: &inner{A: 4}, Tags: []string{"t"},
	}
	if diff := cmp.Diff(want, d, alike); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestDecodeTakesNullAsAbsentWhereAbsenceExists(t *testing.T) {
	d, _ := decoded(t, `{"note":null,"rows":null,"places":null,"many":null,"any":null,"late":null}`)
	want := document{Any: mustParse(t, "null")}
	if diff := cmp.Diff(want, d, alike); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestDecodeOverwritesWhatWasThere(t *testing.T) {
	d := document{Note: ptr("old"), Rows: []row{{ID: 9}}, Places: map[string]spot{"old": {}}, Name: "stays"}
	if err := Decode(mustParse(t, `{"note":null,"rows":null,"places":{}}`), &d); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(document{Name: "stays", Places: map[string]spot{}}, d, alike); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestDecodeErrorsNameThePathAndBothTypes(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`[]`, "the document must be an object, not an array"},
		{`null`, "the document must be an object, not null"},
		{`{"name":1}`, "name must be a string, not a number"},
		{`{"on":"true"}`, "on must be a boolean, not a string"},
		{`{"count":"3"}`, "count must be a whole number, not a string"},
		{`{"count":9223372036854775808}`, "count must be a whole number, not a number"},
		{`{"count":1.5}`, "count must be a whole number, not a number"},
		{`{"ratio":"1"}`, "ratio must be a number, not a string"},
		{`{"note":1}`, "note must be a string, not a number"},
		{`{"inner":{"a":true}}`, "inner.a must be a whole number, not a boolean"},
		{`{"late":{"b":{}}}`, "late.b must be a string, not an object"},
		{`{"rows":{}}`, "rows must be an array, not an object"},
		{`{"rows":[{"id":1},null]}`, "rows[1] must be an object, not null"},
		{`{"rows":[{"id":1},{"id":"2"}]}`, "rows[1].id must be a whole number, not a string"},
		{`{"lists":[[],["a",2]]}`, "lists[1][1] must be a string, not a number"},
		{`{"places":[]}`, "places must be an object, not an array"},
		{`{"places":{"p":{"x":[]}}}`, "places.p.x must be a whole number, not an array"},
		{`{"places":{"":{"x":[]}}}`, `places."".x must be a whole number, not an array`},
		{`{"places":{"":1}}`, `places."" must be an object, not a number`},
	} {
		err := Decode(mustParse(t, c.text), &document{})
		var te *TypeError
		if !errors.As(err, &te) || err.Error() != c.want {
			t.Errorf("Decode(%s)\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}

func TestTypesThatNoDocumentUsesPanic(t *testing.T) {
	for name, use := range map[string]func(){
		"decode": func() {
			_ = Decode(mustParse(t, `{"c":1}`), &struct {
				C uint8 `json:"c"`
			}{})
		},
		"encode": func() {
			Encode(struct {
				C uint8 `json:"c"`
			}{}, nil)
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s of a uint8 did not panic", name)
				}
			}()
			use()
		}()
	}
}

func TestNullIsWhatIsNotSetAndStaysNull(t *testing.T) {
	const text = `{"name":null,"count":null,"ratio":null,"on":null,"inner":null}`
	src := mustParse(t, text)
	var d document
	if err := Decode(src, &d); err != nil {
		t.Fatal(err)
	}
	for _, m := range src.Members {
		if got := Encode(d, src).Get(m.Key); got != m.Value {
			t.Errorf("%s became %s", m.Key, AppendCompact(nil, got))
		}
	}
	d.Name = "x"
	if got := Encode(d, src).Get("name").Text(); got != "x" {
		t.Errorf("a change was lost: %q", got)
	}
}
