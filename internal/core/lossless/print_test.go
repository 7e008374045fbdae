package lossless

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// tree draws any document, with odd keys, odd literals and empty containers.
func tree(depth int) *rapid.Generator[*Value] {
	return rapid.Custom(func(t *rapid.T) *Value {
		kinds := []Kind{Null, Bool, Number, String}
		if depth > 0 {
			kinds = append(kinds, Array, Object, Object)
		}
		switch k := rapid.SampledFrom(kinds).Draw(t, "kind"); k {
		case Bool:
			return &Value{Kind: Bool, Raw: rapid.SampledFrom([]string{"true", "false"}).Draw(t, "bool")}
		case Number:
			return &Value{Kind: Number, Raw: number().Draw(t, "number")}
		case String:
			return NewString(rapid.String().Draw(t, "string"))
		case Array:
			return &Value{Kind: Array, Elems: rapid.SliceOfN(tree(depth-1), 0, 3).Draw(t, "elements")}
		case Object:
			v := &Value{Kind: Object}
			for _, key := range rapid.SliceOfNDistinct(key(), 0, 4, rapid.ID).Draw(t, "keys") {
				v.Members = append(v.Members, Member{key, tree(depth-1).Draw(t, "member")})
			}
			return v
		default:
			return &Value{Kind: Null, Raw: "null"}
		}
	})
}

func number() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"0", "-0", "1.0", "1.50", "1e5", "1E+05", "12345678901234567890.5", "1e400"}),
		rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,5})?([eE][+-]?[0-9]{1,3})?`),
	)
}

func key() *rapid.Generator[string] {
	return rapid.OneOf(rapid.SampledFrom([]string{"a", "b", "c", "name", ""}), rapid.String())
}

func TestPrintedFormsHaveTheContentThatEncodingJSONReads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := tree(4).Draw(t, "v")
		flat := AppendCompact(nil, v)
		var std bytes.Buffer
		if err := json.Compact(&std, flat); err != nil || std.String() != string(flat) {
			t.Fatalf("compact: %s, want %s (%v)", flat, std.String(), err)
		}
		indented := AppendIndent(nil, v)
		std.Reset()
		if err := json.Compact(&std, indented); err != nil || std.String() != string(flat) {
			t.Fatalf("indented: %s, want the content of %s (%v)", indented, flat, err)
		}
		back, err := Parse(flat)
		if err != nil || !Equal(v, back) {
			t.Fatalf("%s reads back as another tree (%v)", flat, err)
		}
	})
}

func TestElementsThatHoldNothingNestedStandOnOneLine(t *testing.T) {
	v := mustParse(t, `{"a":[],"b":{},"c":[1,[2,{"d":null,"e":[]}],["x",{},[]],{}],"e":{"f":"x"},"g\"\u0001é":1.50}`)
	const want = `{
  "a": [],
  "b": {},
  "c": [
    1,
    [
      2,
      {"d": null, "e": []}
    ],
    ["x", {}, []],
    {}
  ],
  "e": {
    "f": "x"
  },
  "g\"\u0001é": 1.50
}`
	if got := string(AppendIndent([]byte("> "), v)); got != "> "+want {
		t.Errorf("got:\n%s\nwant:\n> %s", got, want)
	}
}

func TestDeepNestingIsIndentedInFull(t *testing.T) {
	v := mustParse(t, strings.Repeat("[", 101)+"1"+strings.Repeat("]", 101))
	if got := string(AppendIndent(nil, v)); !strings.Contains(got, "\n"+strings.Repeat(" ", 200)+"[1]\n") {
		t.Errorf("the innermost line is not indented by 200 blanks")
	}
}
