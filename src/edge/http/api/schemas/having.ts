/*
 * Conditions on several members of a body, for /openapi.json, where a refinement cannot appear. They use only `not` and
 * `if`, which client generators ignore. From `oneOf`, `anyOf` and `allOf`, generators derive types that lose the body’s
 * members or require all of them (docs/decisions/0167-describe-the-api-for-four-client-generators.md).
 */

/** The body has this member. */
export const having = (name: string) => ({ required: [name], properties: { [name]: {} } });

/** The body has none of these members. */
export const lacking = (...[first, ...others]: readonly [string, ...string[]]) => ({
  not: others.length === 0 ? having(first) : { anyOf: [first, ...others].map(having) },
});

/** The body has at least one of these members. */
export const oneAtLeast = (...names: readonly [string, ...string[]]) => ({ not: lacking(...names) });

/** A body with this member meets the condition `then`, and one without it meets the condition `otherwise`. */
export const ifHaving = (name: string, then: object, otherwise?: object) => ({
  if: having(name),
  then,
  ...(otherwise && { else: otherwise }),
});

/** The body has exactly one of the two members. */
export const eitherOr = (one: string, other: string) => ifHaving(one, lacking(other), having(other));
