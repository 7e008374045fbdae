import assert from "node:assert/strict";
import test from "node:test";
import { slug } from "./slug.js";

test("words are joined by dashes", () => assert.equal(slug("Hello, World"), "hello-world"));
test("dashes are not at the ends", () => assert.equal(slug("  (draft) "), "draft"));
test("nothing stays nothing", () => assert.equal(slug(""), ""));
