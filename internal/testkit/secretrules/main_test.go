package main

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"testing"
)

// A rule that is changed in rules.toml is not forgotten in rules.json.
func TestOurRulesAreInTheFile(t *testing.T) {
	text, err := os.ReadFile("../../adapter/secrets/rules.json")
	if err != nil {
		t.Fatal(err)
	}
	var have output
	if err := json.Unmarshal(text, &have); err != nil {
		t.Fatal(err)
	}
	ours, err := read("../../adapter/secrets/rules.toml")
	if err != nil {
		t.Fatal(err)
	}
	want, err := convert(ours.Rules, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range want.Rules {
		if !slices.ContainsFunc(have.Rules, func(r rule) bool { return reflect.DeepEqual(r, w) }) {
			t.Errorf("%s is not in rules.json, or another: run make rules", w.ID)
		}
	}
}

func TestAnUnknownConditionFails(t *testing.T) {
	for name, rules := range map[string][]configuredRule{
		"a condition": {{ID: "x", Keywords: []string{"x"}, AllowLists: []allowList{{Condition: "AND", Regexes: []string{"x"}}}}},
		"no keywords": {{ID: "x", Regex: "x"}},
	} {
		if out, err := convert(rules, nil); err == nil {
			t.Errorf("%s: %v", name, out)
		}
	}
}
