package codex

import "warp/internal/core/lossless"

// strict rewrites a schema for the API's strict mode, which forbids optional members: all become
// required, and optional ones nullable, where null counts as missing.
func strict(schema []byte) []byte {
	v, err := lossless.Parse(schema)
	if err != nil {
		return schema
	}
	return lossless.AppendCompact(nil, tighten(v))
}

func tighten(v *lossless.Value) *lossless.Value {
	if items := v.Get("items"); items != nil {
		return v.With("items", tighten(items))
	}
	if either := v.Get("anyOf"); either != nil {
		var list []*lossless.Value
		for _, one := range either.Elems {
			list = append(list, tighten(one))
		}
		return v.With("anyOf", lossless.Encode(list, nil))
	}
	props := v.Get("properties")
	if props == nil {
		return v
	}
	needed := map[string]bool{}
	if list := v.Get("required"); list != nil {
		for _, name := range list.Elems {
			needed[name.Text()] = true
		}
	}
	var all []string
	out := lossless.NewObject()
	for _, m := range props.Members {
		all = append(all, m.Key)
		one := tighten(m.Value)
		if !needed[m.Key] {
			one = nullable(one)
		}
		out.Members = append(out.Members, lossless.Member{Key: m.Key, Value: one})
	}
	return v.With("properties", out).With("required", lossless.Encode(all, nil)).With("additionalProperties", lossless.Encode(false, nil))
}

func nullable(v *lossless.Value) *lossless.Value {
	kind := v.Get("type")
	if kind == nil || kind.Kind != lossless.String {
		return v
	}
	return v.With("type", lossless.Encode([]*lossless.Value{kind, lossless.NewString("null")}, nil))
}
