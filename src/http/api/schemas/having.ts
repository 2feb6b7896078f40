/** The condition that members are there, for /openapi.json: what a refinement checks of several members together. */
export const having = (...names: readonly string[]) => ({
  required: [...names],
  properties: Object.fromEntries(names.map((name) => [name, true] as const)),
});
