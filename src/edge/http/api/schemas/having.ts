/*
 * Conditions on several body members for /openapi.json, which can't contain Zod refinements. They use only `not` and
 * `if`, which client generators ignore. From `oneOf`, `anyOf` and `allOf`, generators derive types that lose the body’s
 * members or require all of them (docs/decisions/0167-describe-the-api-for-four-client-generators.md).
 */

export const having = (name: string) => ({ required: [name], properties: { [name]: {} } });

export const lacking = (...[first, ...others]: readonly [string, ...string[]]) => ({
  not: others.length === 0 ? having(first) : { anyOf: [first, ...others].map(having) },
});

export const oneAtLeast = (...names: readonly [string, ...string[]]) => ({ not: lacking(...names) });

export const ifHaving = (name: string, then: object, otherwise?: object) => ({
  if: having(name),
  then,
  ...(otherwise && { else: otherwise }),
});

/** Requires exactly one of two members of the body. */
export const eitherOr = (one: string, other: string) => ifHaving(one, lacking(other), having(other));
