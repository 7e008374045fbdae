package config

import (
	"bytes"
	"fmt"
	"slices"

	"warp/internal/core/lossless"
)

// Grant adds permission rules to the text of a settings file. The user's rules stay, byte for byte.
// Ours that are no longer wanted are removed: those that an earlier Grant reported as added or, if
// unknown (added is nil), those that warp could have written. It returns which of the wanted rules
// are ours now: a rule that the user already had is not.
func Grant(text []byte, want, added Rules) (out []byte, ours Rules, err error) {
	if err := checkPermissions(text); err != nil {
		return nil, nil, err
	}
	mine := func(list, rule string) bool {
		if added == nil {
			return known(list, rule)
		}
		return slices.Contains(added[list], rule)
	}
	ours = Rules{}
	for _, list := range Lists {
		had := granted(text, list)
		for _, rule := range had {
			if mine(list, rule) && !slices.Contains(want[list], rule) {
				text = revoke(text, list, rule)
			}
		}
		for _, rule := range want[list] {
			there := slices.Contains(had, rule)
			if !there {
				if text, err = grant(text, list, rule); err != nil {
					return nil, nil, err
				}
			}
			if !there || mine(list, rule) {
				ours[list] = append(ours[list], rule)
			}
		}
	}
	return text, ours, nil
}

// checkPermissions refuses what the agent would not read either.
func checkPermissions(text []byte) error {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil
	}
	doc, err := lossless.Parse(text)
	if err != nil {
		return fmt.Errorf("%s is not valid JSON: %w", File, err)
	}
	wrong := func(v *lossless.Value, what, form string) error {
		return fmt.Errorf("%s: line %d: %s must be %s, not %s", File, v.Line(text), what, form, v.Kind)
	}
	section := doc.Get(permissions)
	switch {
	case doc.Kind != lossless.Object:
		return fmt.Errorf("%s must be an object, not %s", File, doc.Kind)
	case section == nil:
		return nil
	case section.Kind != lossless.Object:
		return wrong(section, permissions, "an object")
	}
	for _, list := range Lists {
		rules := section.Get(list)
		if rules == nil {
			continue
		}
		if rules.Kind != lossless.Array {
			return wrong(rules, permissions+"."+list, "an array")
		}
		for i, e := range rules.Elems {
			if e.Kind != lossless.String {
				return wrong(e, fmt.Sprintf("%s.%s[%d]", permissions, list, i), "a string")
			}
		}
	}
	return nil
}

// rulesIn finds a list of rules in a checked text; nil if there is none.
func rulesIn(text []byte, list string) (doc, rules *lossless.Value) {
	doc, err := lossless.Parse(text)
	if err != nil {
		return nil, nil
	}
	return doc, doc.Get(permissions).Get(list)
}

func granted(text []byte, list string) []string {
	var all []string
	if _, rules := rulesIn(text, list); rules != nil {
		for _, e := range rules.Elems {
			all = append(all, e.Text())
		}
	}
	return all
}

func grant(text []byte, list, rule string) ([]byte, error) {
	if _, rules := rulesIn(text, list); rules != nil {
		return lossless.Add(text, rules, lossless.NewString(rule)), nil
	}
	return lossless.Set(text, lossless.Encode([]string{rule}, nil), permissions, list)
}

// revoke removes a rule, with the last rule the list, and with the last list the section.
func revoke(text []byte, list, rule string) []byte {
	for {
		_, rules := rulesIn(text, list)
		i := slices.IndexFunc(rules.Elems, func(e *lossless.Value) bool { return e.Text() == rule })
		if i < 0 {
			return text
		}
		text = lossless.RemoveItem(text, rules, i)
		doc, rules := rulesIn(text, list)
		if len(rules.Elems) > 0 {
			continue
		}
		text = lossless.RemoveMember(text, doc.Get(permissions), list)
		if doc, _ = rulesIn(text, list); len(doc.Get(permissions).Members) == 0 {
			text = lossless.RemoveMember(text, doc, permissions)
		}
		return text
	}
}

// RulesIn returns the rules in a settings file's text, by list.
func RulesIn(text []byte) Rules {
	all := Rules{}
	for _, list := range Lists {
		all[list] = granted(text, list)
	}
	return all
}
