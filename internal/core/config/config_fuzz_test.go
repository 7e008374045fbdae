package config

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"warp/internal/core/lossless"
)

func FuzzConfig(f *testing.F) {
	f.Add([]byte(``))
	f.Add([]byte(`{"_rdb":{"enabled":true},"_workflow":{"levle":1,"level":3,"max_total_chunks":7.0}}`))
	for _, d := range documented {
		for _, v := range append(accepted[d.accepts], refusedValues[d.accepts]...) {
			f.Add(file(d.name, v))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := Parse(text)
		doc, syntax := lossless.Parse(text)
		if syntax != nil {
			if err == nil && len(bytes.TrimSpace(text)) > 0 {
				t.Fatalf("%q is no document, and is accepted", text)
			}
			return
		}
		section := doc.Get(Section)
		if section == nil {
			return
		}
		if section.Kind != lossless.Object {
			if err == nil {
				t.Fatalf("%q: the section is ignored", text)
			}
			return
		}
		for _, m := range section.Members {
			checkMember(t, s, err, m)
		}
	})
}

// checkMember checks that a member of the section is in force, or told of:
// never replaced by a default in silence.
func checkMember(t *testing.T, s Settings, err error, m lossless.Member) {
	t.Helper()
	k := Find(m.Key)
	if k == nil {
		for _, w := range s.Warnings {
			if strings.HasPrefix(w, File+": "+Section+"."+m.Key+" is not a setting") {
				return
			}
		}
		t.Fatalf("%s is unknown, and nothing is said", m.Key)
	}
	if s.Set[m.Key] == m.Value || lossless.Equal(s.Set[m.Key], m.Value) {
		// The field says the same as a configuration of this setting alone.
		alone := Default()
		if err := k.take(&alone, m.Value); err != nil {
			t.Fatalf("%s: %s is set, but not accepted: %v", m.Key, compact(m.Value), err)
		}
		only, err := Parse(file(m.Key, compact(m.Value)))
		if err != nil || !reflect.DeepEqual(only.Workflow, alone) {
			t.Fatalf("%s: %s is set, but not in force: %+v (%v)", m.Key, compact(m.Value), only.Workflow, err)
		}
		return
	}
	if err == nil || !strings.Contains(err.Error(), File+": "+Section+"."+m.Key+": ") {
		t.Fatalf("%s: %s is neither set nor refused: %v", m.Key, compact(m.Value), err)
	}
}
