/**
 * At least one of these conditions holds, in addition to the rest of a schema. Wrapped in `allOf` because client
 * generators take a top-level `anyOf` for the whole body, and lose its members.
 */
export const oneAtLeast = (...conditions: readonly object[]) => ({ allOf: [{ anyOf: [...conditions] }] });

/**
 * The condition that these members are present. For /openapi.json, where a refinement of several members cannot appear.
 */
export const having = (...names: readonly string[]) => ({
  required: [...names],
  properties: Object.fromEntries(names.map((name) => [name, true] as const)),
});
