package highlight

import "strings"

// language is the syntax of a language.
type language struct {
	line    []string // start of a line comment
	blocks  []block  // may span lines
	quotes  string   // delimit strings within a line
	words   map[string]bool
	anyCase bool // keywords are case-insensitive
}

type block struct{ open, end, class string }

func words(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

var (
	slashes = []string{"//"}
	hash    = []string{"#"}
	stars   = block{"/*", "*/", Comment}
	tick    = block{"`", "`", Text}
	tags    = []block{{"<!--", "-->", Comment}}
	both    = `"'`
)

// byName maps a file's extension or full name to its language.
var byName = func() map[string]*language {
	all := map[string]*language{}
	for _, l := range []struct {
		names string
		language
	}{
		{".go", language{slashes, []block{stars, tick}, both, words("break case chan const continue default defer else fallthrough false for func go goto if import interface iota map nil package range return select struct switch true type var"), false}},
		{".c .h .cc .cpp .cxx .hpp .ino .m", language{slashes, []block{stars}, both, words("alignas auto bool break case catch char class const constexpr continue default delete do double else enum explicit extern false float for friend goto if inline int long namespace new noexcept nullptr operator private protected public register return short signed sizeof static struct switch template this throw true try typedef typename union unsigned using virtual void volatile while"), false}},
		{".java .kt .kts .scala .groovy .gradle", language{slashes, []block{{`"""`, `"""`, Text}, stars}, both, words("abstract as assert boolean break by byte case catch char class companion const continue data def default do double else enum extends false final finally float for fun if implements import in instanceof int interface internal is lateinit lazy long match native new null object open override package private protected public return sealed short static super suspend switch synchronized this throw throws trait true try typealias val var void volatile when while with yield"), false}},
		{".cs", language{slashes, []block{stars}, both, words("abstract as async await base bool break byte case catch char class const continue decimal default delegate do double else enum event explicit extern false finally fixed float for foreach get goto if implicit in int interface internal is lock long namespace new null object operator out override params private protected public readonly record ref return sealed set short sizeof static string struct switch this throw true try typeof uint ulong using var virtual void volatile when where while yield"), false}},
		{".js .jsx .mjs .cjs .ts .tsx .mts .vue .svelte", language{slashes, []block{stars, tick, tags[0]}, both, words("abstract any as async await boolean break case catch class const continue debugger declare default delete do else enum export extends false finally for from function get if implements import in instanceof interface is keyof let namespace never new null number of package private protected public readonly return satisfies set static string super switch this throw true try type typeof undefined unknown var void while with yield"), false}},
		{".rs", language{slashes, []block{stars}, `"`, words("as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while"), false}},
		{".swift", language{slashes, []block{{`"""`, `"""`, Text}, stars}, `"`, words("actor as associatedtype async await break case catch class continue default defer deinit do else enum extension fallthrough false fileprivate final for func guard if import in init inout internal is lazy let mutating nil open operator override private protocol public repeat rethrows return self Self static struct subscript super switch throw throws true try typealias var weak where while"), false}},
		{".dart", language{slashes, []block{stars}, both, words("abstract as assert async await break case catch class const continue default do else enum export extends extension external factory false final finally for get if implements import in is late library mixin new null on operator part required rethrow return set static super switch sync this throw true try typedef var void while with yield"), false}},
		{".php", language{[]string{"//", "#"}, []block{stars}, both, words("abstract and array as break callable case catch class clone const continue declare default do echo else elseif empty enum extends false final finally fn for foreach function global if implements include instanceof interface isset list match namespace new null or print private protected public readonly require require_once return static switch this throw trait true try unset use var while xor yield"), false}},
		{".zig", language{slashes, nil, both, words("addrspace align allowzero and anyframe anytype asm async await break callconv catch comptime const continue defer else enum errdefer error export extern false fn for if inline noalias null opaque or orelse packed pub resume return struct suspend switch test threadlocal true try undefined union unreachable usingnamespace var volatile while"), false}},
		{".py .pyi", language{hash, []block{{`"""`, `"""`, Text}, {"'''", "'''", Text}}, both, words("and as assert async await break case class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return self True try type while with yield"), false}},
		{".rb .rake gemfile rakefile", language{hash, nil, both, words("alias and begin break case class def defined do else elsif end ensure false for if in module next nil not or redo require rescue retry return self super then true undef unless until when while yield"), false}},
		{".sh .bash .zsh .ksh .bats dockerfile .dockerfile .env", language{hash, nil, both, words("add alias arg break case cmd continue copy do done echo elif else entrypoint env esac eval exec exit export expose false fi for from function if in label local read readonly return run set shift source test then trap true unset until user volume while workdir"), true}},
		{"makefile .mk", language{hash, nil, both, words("define else endef endif export ifdef ifeq ifndef ifneq include override undefine unexport vpath"), false}},
		{".ex .exs", language{hash, []block{{`"""`, `"""`, Text}}, both, words("after and case catch cond def defimpl defmacro defmodule defp defprotocol defstruct do else end false fn for if import in nil not or quote raise receive require rescue super true try unless unquote use when with"), false}},
		{".lua", language{[]string{"--"}, []block{{"[[", "]]", Text}}, both, words("and break do else elseif end false for function goto if in local nil not or repeat return then true until while"), false}},
		{".hs .elm", language{[]string{"--"}, []block{{"{-", "-}", Comment}}, `"`, words("case class data default deriving do else exposing forall foreign if import in infix infixl infixr instance let module newtype of port qualified then type where"), false}},
		{".sql", language{[]string{"--"}, []block{stars}, both, words("add all alter and as asc begin between by case cast check column commit constraint create cross database default delete desc distinct drop else end exists false foreign from full function grant group having if in index inner insert into is join key left like limit not null offset on or order outer primary references replace returning right rollback select set table then transaction trigger true union unique update using values view when where with"), true}},
		{".json .jsonl .jsonc .webmanifest", language{slashes, nil, `"`, words("false null true"), false}},
		{".yaml .yml", language{hash, nil, both, words("false no null off on true yes"), false}},
		{".toml .ini .cfg .conf .editorconfig .gitignore .dockerignore .properties", language{[]string{"#", ";"}, []block{{`"""`, `"""`, Text}}, both, words("false true"), false}},
		{".css .scss .less", language{nil, []block{stars}, both, words("import important keyframes layer media supports"), false}},
		{".html .htm .xml .svg .xsd .xsl .plist", language{nil, tags, `"`, nil, false}},
		{".tf .hcl .nix", language{[]string{"#", "//"}, []block{stars}, `"`, words("data else false for if import in inherit let locals module null output provider rec resource terraform then true variable with"), false}},
		{".proto .graphql .gql", language{[]string{"//", "#"}, []block{stars}, both, words("bool bytes double enum extend false fixed32 fixed64 float fragment import input int32 int64 interface map message mutation on oneof optional option package query repeated required reserved returns rpc scalar schema service string subscription syntax true type uint32 uint64 union"), false}},
	} {
		for name := range strings.FieldsSeq(l.names) {
			all[name] = &l.language
		}
	}
	return all
}()
