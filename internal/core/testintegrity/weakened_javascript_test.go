package testintegrity

import "testing"

const jsCart = `import { cart } from './cart'

describe('cart', () => {
  it('adds items', () => {
    const c = cart()
    c.add('apple', 3)
    expect(c.count()).toBe(3)
    expect(c.total()).toEqual(4.5)
  })

  it('rejects nonsense', async () => {
    await expect(cart().add('pear', -1)).rejects.toThrow('negative')
  })
})
`

// jsCartWith is jsCart with other tests in its describe.
func jsCartWith(tests string) string {
	return "import { cart } from './cart'\ndescribe('cart', () => {\n" + tests + "\n})\n"
}

const jsAdds = `  it('adds items', () => {
    const c = cart()
    c.add('apple', 3)
    expect(c.count()).toBe(3)
    expect(c.total()).toEqual(4.5)
  })
`

const jsRejects = `  it('rejects nonsense', async () => {
    await expect(cart().add('pear', -1)).rejects.toThrow('negative')
  })
`

var jsAttacks = []edit{
	{"file deleted", jsCart, "-", "deleted"},
	{"file blanked", jsCart, "", "emptied"},
	{"test removed", jsCart, jsCartWith(jsAdds), "removed"},
	{"test commented out", jsCart, jsCartWith(jsAdds + "/*" + jsRejects + "*/"), "removed"},
	{"it.skip", jsCart, jsCartWith(jsAdds + `  it.skip('rejects nonsense', async () => {
    await expect(cart().add('pear', -1)).rejects.toThrow('negative')
  })`), "skipped"},
	{"xit", jsCart, jsCartWith(jsAdds + `  xit('rejects nonsense', async () => {
    await expect(cart().add('pear', -1)).rejects.toThrow('negative')
  })`), "skipped"},
	{"it.only", jsCart, jsCartWith(`  it.only('adds items', () => {
    const c = cart()
    c.add('apple', 3)
    expect(c.count()).toBe(3)
    expect(c.total()).toEqual(4.5)
  })` + jsRejects), "skipped"},
	{"it.todo", jsCart, jsCartWith(jsAdds + "it.todo('rejects nonsense')"), "skipped emptied"},
	{"pending test", jsCart, jsCartWith(jsAdds + "it('rejects nonsense')"), "emptied"},
	{"describe.skip", jsCart, "describe.skip('cart', () => {\n" + jsAdds + jsRejects + "})", "skipped"},
	{"xdescribe", jsCart, "xdescribe('cart', () => {\n" + jsAdds + jsRejects + "})", "skipped"},
	{"skip as an option", jsCart, jsCartWith(jsAdds + `  it('rejects nonsense', { skip: true }, async () => {
    await expect(cart().add('pear', -1)).rejects.toThrow('negative')
  })`), "skipped"},
	{"this.skip", jsCart, jsCartWith(jsAdds + `  it('rejects nonsense', async function () {
    this.skip()
    await expect(cart().add('pear', -1)).rejects.toThrow('negative')
  })`), "skipped"},
	{"skipIf", jsCart, jsCartWith(jsAdds + `  it.skipIf(process.env.CI)('rejects nonsense', async () => {
    await expect(cart().add('pear', -1)).rejects.toThrow('negative')
  })`), "skipped"},
	{"body emptied", jsCart, jsCartWith(jsAdds + "it('rejects nonsense', async () => {})"), "emptied"},
	{"body of a function emptied", jsCart, jsCartWith(jsAdds + "it('rejects nonsense', function ({ a }) { /* later */ })"), "emptied"},
	{"return first", jsCart, jsCartWith(jsAdds + `  it('rejects nonsense', async () => {
    return;
    await expect(cart().add('pear', -1)).rejects.toThrow('negative')
  })`), "emptied"},
	{"if (false)", jsCart, jsCartWith(jsAdds + `  it('rejects nonsense', async () => {
    if (false) await expect(cart().add('pear', -1)).rejects.toThrow('negative')
  })`), "skipped"},
	{"test of another runner removed", "Deno.test('a', () => { assertEquals(f(1), 2) })\nDeno.test('b', () => { assertEquals(g('x'), 4) })",
		"Deno.test('a', () => { assertEquals(f(1), 2) })", "removed"},
	{"no assertion left", jsCart, jsCartWith("  it('adds items', () => {\n    const c = cart()\n    c.add('apple', 3)\n  })\n" + jsRejects), "emptied"},
	{"all assertions cut out", "test(\"adds\", () => {\n\tassert.equal(1 + 1, 2);\n});\ntest(\"adds nothing\", () => {\n\tassert.equal(1 + 0, 1);\n});\n",
		"test(\"adds\", () => {\n});\ntest(\"adds nothing\", () => {\n});\n", "emptied emptied"},
	{"a new test that only runs itself", jsCart, jsCart + "it.only('new', () => { expect(f(1)).toBe(2) })", "skipped"},
	{"if (!true)", `it('a', () => { expect(f(1)).toBe(2) })`, `it('a', () => { if (!true) { expect(f(1)).toBe(2) } })`, "skipped"},
	{"while (false)", `it('a', () => { expect(f(1)).toBe(2) })`, `it('a', () => { while (false) { expect(f(1)).toBe(2) } })`, "skipped"},
}

var jsHarmless = []edit{
	{"new file", "-", jsCart, ""},
	{"test added", jsCart, jsCartWith(jsAdds + jsRejects + "it('is empty', () => { expect(cart().count()).toBe(0) })"), ""},
	{"test renamed", jsCart, jsCartWith(jsAdds + `  it('refuses nonsense', async () => {
    await expect(cart().add('pear', -1)).rejects.toThrow('negative')
  })`), ""},
	{"describe renamed", jsCart, "describe('the cart', () => {\n" + jsAdds + jsRejects + "})", ""},
	{"reordered", jsCart, jsCartWith(jsRejects + jsAdds), ""},
	{"as a table", `it('adds', () => { expect(add(10, 20)).toBe(30); expect(add(5, 6)).toBe(11); expect(add(7, 8)).toBe(15) })`,
		`it.each([[10, 20, 30], [5, 6, 11], [7, 8, 15]])('adds', (a, b, c) => { expect(add(a, b)).toBe(c) })`, ""},
	{"as a tagged table", `it('adds', () => { expect(add(10, 20)).toBe(30); expect(add(5, 6)).toBe(11) })`,
		"it.each`a|b|c\n${10}|${20}|${30}\n${5}|${6}|${11}`('adds', ({ a, b, c }) => { expect(add(a, b)).toBe(c) })", ""},
	{"groups of the same tests reordered", `describe('one', () => { it('a', () => { expect(one(1)).toBe(2); expect(one(3)).toBe(4) }) })
describe('two', () => { it('a', () => { expect(two(5)).toBe(6) }) })`, `describe('two', () => { it('a', () => { expect(two(5)).toBe(6) }) })
describe('one', () => { it('a', () => { expect(one(1)).toBe(2); expect(one(3)).toBe(4) }) })`, ""},
	{"nested groups reordered", `describe('x', () => { describe('one', () => { it('a', () => { expect(one(1)).toBe(2); expect(one(3)).toBe(4) }) }) })
describe('y', () => { describe('one', () => { it('a', () => { expect(two(5)).toBe(6) }) }) })`, `describe('y', () => { describe('one', () => { it('a', () => { expect(two(5)).toBe(6) }) }) })
describe('x', () => { describe('one', () => { it('a', () => { expect(one(1)).toBe(2); expect(one(3)).toBe(4) }) }) })`, ""},
	{"as a loop", `it('adds', () => { expect(add(10, 20)).toBe(30); expect(add(5, 6)).toBe(11) })`,
		`it('adds', () => { for (const [a, b, c] of [[10, 20, 30], [5, 6, 11]]) { expect(add(a, b)).toBe(c) } })`, ""},
	{"helper extracted", jsCart, `const checkApple = (c) => {
  expect(c.count()).toBe(3)
  expect(c.total()).toEqual(4.5)
}
` + jsCartWith(`  it('adds items', () => {
    const c = cart()
    c.add('apple', 3)
    checkApple(c)
  })`+jsRejects), ""},
	{"function of its own", jsCart, `async function nonsense() {
  await expect(cart().add('pear', -1)).rejects.toThrow('negative')
}
` + jsCartWith(jsAdds+"it('rejects nonsense', nonsense)"), ""},
	{"words in strings and comments", "it('a', () => { expect(a).toBe('it.skip(x) expect(b)') }) // it.only(\n",
		"it('a', () => { expect(a).toBe('other') })", ""},
	{"regular expressions", `it('a', () => { expect(/['"]/.test(x)).toBe(true); expect(a / b / c).toBe(1) })`,
		`it('a', () => { expect(/["']/.test(x)).toBe(true); expect(a / b / c).toBe(1) })`, ""},
	{"quotes of a template", "it('a', () => { expect(`it's ${f(`a'${b}`)}`).toBe('x') })",
		"it('a', () => { expect(`its ${f(`a${b}`)}`).toBe('x'); expect(2 + f()).toBe(3) })", ""},
	{"text of an element", "it('a', () => { render(<p>Don't</p>)\n expect(screen.get()).toBe(1) })",
		"it('a', () => { render(<p>Do not</p>)\n expect(screen.get()).toBe(1) })", ""},
	{"method of that name", "re.test('abc')\nit('a', () => { expect(f(1)).toBe(2) })", "it('a', () => { expect(f(1)).toBe(2) })", ""},
	{"helper that waits", jsCart, `const checkApple = async (c) => {
  expect(c.count()).toBe(3)
  expect(c.total()).toEqual(4.5)
}
` + jsCartWith(`  it('adds items', async () => {
    const c = cart()
    c.add('apple', 3)
    await checkApple(c)
  })`+jsRejects), ""},
	{"helper that is a value", jsCart, `const checkApple = function (c) {
  expect(c.count()).toBe(3)
  expect(c.total()).toEqual(4.5)
}
` + jsCartWith(`  it('adds items', async () => {
    const c = cart()
    c.add('apple', 3)
    await checkApple(c)
  })`+jsRejects), ""},
	{"value that is no helper", "const list = (a, b)\n{ }\nconst n = 1\nit('a', () => { expect(f(1)).toBe(2) })", "it('a', () => { expect(f(1)).toBe(2) })", ""},
	{"function of that name", "function test(a) { return a }\nit('a', () => { expect(f(1)).toBe(2) })", "it('a', () => { expect(f(1)).toBe(2) })", ""},
	{"mock that throws", `it('a', () => { f = () => { throw new Error('x') }; expect(g).toThrow() })`,
		`it('a', () => { f = () => Promise.reject('x'); expect(g).toThrow() })`, ""},
	{"skip removed", "it.skip('a', () => { expect(f(9)).toBe(1) })", "it('a', () => { expect(f(9)).toBe(1) })", ""},
	{"other matcher", jsCart, jsCartWith(`  it('adds items', () => {
    const c = cart()
    c.add('apple', 3)
    expect(c.count()).toEqual(3)
    expect(c.total()).toBeCloseTo(4.5)
  })` + jsRejects), ""},
	{"group of another runner", `test.describe('g', () => { test('a', async () => { expect(f(1)).toBe(2) }) })`,
		`test.describe('g', () => { test.beforeEach(go); test('a', async () => { expect(f(1)).toBe(2) }) })`, ""},
	{"option of another thing", jsCart, jsCart + "const rows = query({ skip: false, only: false })\n", ""},
	{"branch that returns", "it('a', () => { expect(f(1)).toBe(2)\n expect(f(3)).toBe(4) })",
		"it('a', () => { if (x) g()\n else\n return\n expect(f(1)).toBe(2)\n expect(f(3)).toBe(4) })", ""},
	{"guard on one line", `it('a', () => { expect(f(1)).toBe(2); expect(f(3)).toBe(4) })`,
		"it('a', () => { if (!f)\n return\n expect(f(1)).toBe(2); expect(f(3)).toBe(4) })", ""},
}

func TestWeakenedJavaScript(t *testing.T) {
	atLeast(t, jsAttacks, jsHarmless, 12, 8)
	t.Run("attack", func(t *testing.T) { runEdits(t, "src/cart.test.tsx", jsAttacks) })
	t.Run("harmless", func(t *testing.T) { runEdits(t, "src/cart.test.tsx", jsHarmless) })
}
