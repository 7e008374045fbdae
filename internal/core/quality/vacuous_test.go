package quality

import "testing"

// A new test is reported exactly when its assertion holds by its text alone.
func TestVacuousAssertions(t *testing.T) {
	for _, c := range []struct {
		path, open, close string
		always, real      []string
	}{
		{"a.test.ts", "it('x', () => { run(); ", " })",
			[]string{
				"assert(1)", "assert('x')", "assert(true)", "assert(!false)", "assert((true))", "assert(!!true)", "assert(!0)", "assert(a === a)", "assert(a == a)",
				"assert(f(x) || true)", "assert.ok(1)", "assert.equal(2, 2)", "assert.strictEqual(a.b, a.b)", "expect(true).toBe(true)", "expect('a').toEqual('a')",
				"expect(false).toBeFalsy()", "expect(null).toBeNull()", "expect(5).toBeDefined()", "expect(true).to.equal(true)", "chai.expect(1).to.equal(1)",
				"assert.isFalse(false)", "assert.isNull(null)", "t.pass()",
			},
			[]string{
				"assert(0)", "assert('')", "assert(x)", "assert(!x)", "assert(!true)", "assert(null)", "assert(a === b)", "assert(a !== a)", "assert(a >= a)", "assert(f(1) === f(1))",
				"assert(f(x) || x)", "assert.equal(2, 3)", "assert.equal(2)", "expect(true).toBe(false)", "expect(true).not.toBe(true)", "expect(f()).toBe(f())",
				"expect(x).toBeNull()", "expect(x).toBeDefined()", "expect(true).toBeFalsy()", "expect(5).toBeNull()", "assert()", "assert(f(a) === f(a))",
				"assert(" + longExpression + " === " + longExpression + ")",
			}},
		{"test_a.py", "def test_x():\n    run()\n    ", "\n",
			[]string{
				"assert True", "assert 1", "assert 'x'", "assert 1 == 1", "assert not False", "assert x is x", "assert x or True", "assert (x == 1, 'text')", "assert True, 'text'",
				"self.assertTrue(True)", "self.assertFalse(False)", "self.assertEqual(1, 1)", "self.assertIsNone(None)", "self.assertIsNotNone('a')", "self.assertFalse(None)",
			},
			[]string{
				"assert False", "assert 0", "assert ''", "assert x == 1", "assert not x", "assert x is not x", "assert x is y", "assert x or y", "assert (x == 1)", "assert x, True",
				"self.assertTrue(x)", "self.assertFalse(True)", "self.assertEqual(1, x)", "self.assertEqual(f(), f())", "self.assertIsNone(x)", "assert x != x",
			}},
		{"tests/a.rs", "#[test]\nfn x() { run(); ", " }",
			[]string{"assert!(true)", "assert_eq!(1, 1)", "assert!(a == a)", "debug_assert!(true)", "assert!(f() || true)"},
			[]string{"assert!(false)", "assert_eq!(1, a)", "assert_ne!(1, 1)", "assert!(a == b)", "panic!(\"x\")"}},
		{"ATest.java", "class A { @Test void x() { run(); ", " } }",
			[]string{"assertTrue(true);", "assertEquals(1, 1);", "assertThat(true).isTrue();", "assert true;", "assertNotNull(\"a\");", "assertSame(a, a);"},
			[]string{"assertTrue(false);", "assertEquals(1, 2);", "assertThat(x).isTrue();", "assert x ? true : y;", "assertNotNull(a);", "assertThat(true, is(x));"}},
		{"a_test.go", "func TestX(t *testing.T) { run(); ", " }",
			[]string{"assert.True(t, true)", "require.Equal(t, 1, 1)", "assert.NoError(t, nil)", "assert.False(t, false)", "is.True(true)", "s.Equal(1, 1)", "s.Require().True(true)"},
			[]string{"assert.True(t, x)", "require.Equal(t, 1, x)", "assert.NoError(t, err)", "assert.True(t, false)", "a := assert.New(t)", "s.Require().True(x)", "t.Error(true)"}},
	} {
		check := func(assertion string, want int) {
			got := Weakened([]Change{{Path: c.path, After: []byte(c.open + assertion + c.close)}})
			if len(got) != want {
				t.Errorf("%s: %s: got %v", c.path, assertion, got)
			}
		}
		for _, a := range c.always {
			check(a, 1)
		}
		for _, a := range c.real {
			check(a, 0)
		}
	}
}

const longExpression = "a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t"
