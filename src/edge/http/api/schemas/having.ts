/**
 * That one of these holds at least, beside the rest of a schema. By itself generators of clients take `anyOf` for all that
 * a body is, and its members for unknown.
 */
export const oneAtLeast = (...conditions: readonly object[]) => ({ allOf: [{ anyOf: [...conditions] }] });

/** The condition that members are there, for /openapi.json: what a refinement checks of several members together. */
export const having = (...names: readonly string[]) => ({
  required: [...names],
  properties: Object.fromEntries(names.map((name) => [name, true] as const)),
});
