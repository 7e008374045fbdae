package durable_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/lossless"
	"warp/internal/durable"
	"warp/internal/testkit/faultfs"
)

// foreign is a document with members that this program does not know, at every
// depth, before, between and behind those that it does.
const foreign = `{
  "zeta": 1.50,
  "version": 3,
  "phase": "idle",
  "big": 9007199254740993,
  "count": 1e0,
  "nested": {
    "deep": [
      1e3,
      {
        "deeper": -0.0
      }
    ]
  },
  "items": [
    {
      "mark": 1.10,
      "id": 1
    },
    {
      "id": 2,
      "mark": 2.20
    },
    {
      "id": 3,
      "inner": {
        "mark": 3.30
      }
    }
  ],
  "tail": "\u0041"
}
`

func withForeign() (*faultfs.FS, *durable.Doc[state]) {
	f := project()
	f.WriteFile(stateAt, []byte(foreign))
	return f, docOn(f, roomy)
}

// lines is a document in one layout.
func lines(t *testing.T, text string) []string {
	t.Helper()
	v, err := lossless.Parse([]byte(text))
	must(t, err)
	return strings.SplitAfter(compact(v), ",")
}

// bare is the snapshot without the member that the store adds.
func bare(f *faultfs.FS) string {
	text := string(f.Files()[stateAt])
	if at := strings.LastIndex(text, ",\n  \"journal\""); at >= 0 {
		text = text[:at] + "\n}\n"
	}
	return text
}

func TestUnknownMembersSurviveEveryRewrite(t *testing.T) {
	id := func(tx *durable.Tx[state]) error { return nil }
	for _, test := range []struct {
		name string
		fn   func(*durable.Tx[state]) error
		want func(string) string
	}{
		{"nothing changes", id, func(s string) string { return s }},
		{"a scalar changes", func(tx *durable.Tx[state]) error { tx.Doc.Phase = "busy"; return nil },
			func(s string) string { return strings.Replace(s, `"idle"`, `"busy"`, 1) }},
		{"an element changes", func(tx *durable.Tx[state]) error { tx.Doc.Items[1].ID = 20; return nil },
			func(s string) string { return strings.Replace(s, `"id": 2`, `"id": 20`, 1) }},
		{"the array is trimmed at the front", func(tx *durable.Tx[state]) error { tx.Doc.Items = tx.Doc.Items[1:]; return nil },
			func(s string) string {
				return strings.Replace(s, "    {\n      \"mark\": 1.10,\n      \"id\": 1\n    },\n", "", 1)
			}},
		{"the array shifts", func(tx *durable.Tx[state]) error {
			tx.Doc.Items = append(tx.Doc.Items[2:], item{ID: 4})
			return nil
		}, func(s string) string {
			from, to := strings.Index(s, "    {\n      \"mark\": 1.10"), strings.Index(s, "    {\n      \"id\": 3")
			s = s[:from] + s[to:]
			return strings.Replace(s, "        \"mark\": 3.30\n      }\n    }\n", "        \"mark\": 3.30\n      }\n    },\n    {\n      \"id\": 4\n    }\n", 1)
		}},
		{"a new member", func(tx *durable.Tx[state]) error { tx.Doc.Seen = []string{"x"}; return nil },
			func(s string) string {
				return strings.Replace(s, "  ],\n  \"tail\"", "  ],\n  \"seen\": [\n    \"x\"\n  ],\n  \"tail\"", 1)
			}},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, d := withForeign()
			update(t, d, id) // told whole
			for _, fn := range []func(*durable.Tx[state]) error{test.fn, id, id} {
				update(t, d, fn) // told as a patch
			}
			// Order and literals; where lines break is not the store's affair.
			if diff := cmp.Diff(lines(t, test.want(foreign)), lines(t, bare(f))); diff != "" {
				t.Fatalf("the snapshot (-want +got):\n%s", diff)
			}
			// The journal alone tells the same bytes.
			whole := f.Files()[stateAt]
			f.WriteFile(stateAt, []byte("garbage"))
			read(t, d)
			if diff := cmp.Diff(string(whole), string(f.Files()[stateAt])); diff != "" {
				t.Errorf("rebuilt (-want +got):\n%s", diff)
			}
		})
	}
}

// A program that replaces the document means to: nothing of the old one stays.
func TestReplacingTheDocumentDropsWhatWasUnknown(t *testing.T) {
	f, d := withForeign()
	update(t, d, func(tx *durable.Tx[state]) error { tx.Doc = &state{Version: 3}; return nil })
	if text := bare(f); strings.Contains(text, "zeta") || strings.Contains(text, "mark") {
		t.Errorf("found %s", text)
	}
}
