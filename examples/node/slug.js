/** Makes the last part of an address from a title: "Hello, World" becomes "hello-world". */
export function slug(title) {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
}
