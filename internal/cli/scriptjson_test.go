package cli_test

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/itchyny/gojq"
	"github.com/rogpeppe/go-internal/testscript"
)

// checkJSON holds a jq expression against a file: json file expression want. It is read
// in this process: the start of jq takes longer than most of what a script tries.
func checkJSON(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: json file expression want")
	}
	query, err := gojq.Parse(args[1])
	ts.Check(err)
	var have []string
	for values := json.NewDecoder(strings.NewReader(ts.ReadFile(args[0]))); ; {
		var value any
		if err := values.Decode(&value); err == io.EOF {
			break
		} else if err != nil {
			ts.Fatalf("%s: %v", args[0], err)
		}
		for results := query.Run(value); ; {
			v, ok := results.Next()
			if !ok {
				break
			}
			if err, failed := v.(error); failed {
				ts.Fatalf("%s of %s: %v", args[1], args[0], err)
			}
			have = append(have, jsonText(v))
		}
	}
	if got := strings.Join(have, "\n"); got != sortKeys(args[2]) {
		ts.Fatalf("%s of %s is %q, want %q", args[1], args[0], got, args[2])
	}
}

// jsonText is a value as jq -r prints it, the keys sorted.
func jsonText(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	text, err := gojq.Marshal(v)
	if err != nil {
		panic(err) // gojq made it
	}
	return string(text)
}

// sortKeys sorts the keys of a text that is an object or a list.
func sortKeys(text string) string {
	var v any
	if !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") || json.Unmarshal([]byte(text), &v) != nil {
		return text
	}
	return jsonText(v)
}
