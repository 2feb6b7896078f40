/**
 * Adds the requirement that at least one of these conditions is met. They are wrapped in `allOf`, because client
 * generators mistake a top-level `anyOf` for the whole body and lose its members.
 */
export const oneAtLeast = (...conditions: readonly object[]) => ({ allOf: [{ anyOf: [...conditions] }] });

/**
 * Returns the condition that these members are present. For /openapi.json, which cannot contain a refinement of several
 * members.
 */
export const having = (...names: readonly string[]) => ({
  required: [...names],
  properties: Object.fromEntries(names.map((name) => [name, true] as const)),
});
