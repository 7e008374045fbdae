package config

import (
	"errors"
	"fmt"
	"strings"

	"warp/internal/core/lossless"
	"warp/internal/core/text"
)

// Read converts what a person typed into the value of a key, and checks it. A list takes its items
// as words; a command line may also be a single word, which is split as by a shell. A name such as
// model.verify sets one member of the current value; now may be nil.
func Read(name string, now func(k *Key) *lossless.Value, typed ...string) (*Key, *lossless.Value, error) {
	name, member, dotted := strings.Cut(name, ".")
	k := Find(name)
	if k == nil {
		return nil, nil, fmt.Errorf("there is no setting %q%s; warp config lists them", name, suggest(name))
	}
	if dotted && k.members == "" {
		return nil, nil, fmt.Errorf("%s has no parts, so there is no %s.%s", name, name, member)
	}
	v, err := k.spell(typed)
	if err == nil && dotted {
		v = k.withMember(now(k), member, v)
	}
	if err == nil {
		var w Workflow
		err = k.take(&w, v)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %q is not accepted: %w", name, strings.Join(typed, " "), err)
	}
	return k, v, nil
}

// spell makes a value from words.
func (k *Key) spell(typed []string) (*lossless.Value, error) {
	if len(typed) == 1 {
		v, err := lossless.Parse([]byte(typed[0]))
		switch {
		case err == nil && !k.text && (v.Kind == lossless.Array || k.list == notList):
			return v, nil
		case k.list == notList:
			return lossless.NewString(typed[0]), nil
		case k.list == commandLine:
			words, simple := text.ShellWords(typed[0])
			if !simple {
				return nil, errors.New("it is more than one program with arguments; name a script instead")
			}
			typed = words
		}
	}
	if k.list == notList {
		return nil, fmt.Errorf("it must be one value: quote it; flags such as --user stand before %s", k.Name)
	}
	return lossless.Encode(typed, nil), nil
}

// withMember sets one member; a previous value for all roles stays as the default.
func (k *Key) withMember(now *lossless.Value, member string, v *lossless.Value) *lossless.Value {
	switch {
	case now != nil && now.Kind == lossless.Object:
		return now.With(member, v)
	case now != nil && now.Kind == lossless.String:
		return lossless.NewObject(lossless.Member{Key: k.members, Value: now}).With(member, v)
	}
	return lossless.NewObject(lossless.Member{Key: member, Value: v})
}
