/**
 * Requires at least one of the conditions. `allOf` wraps them, because client generators mistake a top-level `anyOf`
 * for the whole body and lose its members.
 */
export const oneAtLeast = (...conditions: readonly object[]) => ({ allOf: [{ anyOf: [...conditions] }] });

/** The condition that all of these members are present, for /openapi.json. */
export const having = (...names: readonly string[]) => ({
  required: [...names],
  properties: Object.fromEntries(names.map((name) => [name, true] as const)),
});
