import { z } from 'zod';
import { having, lacking } from '../../../../edge/http/api/schemas/having.js';
import { NO_BLANK } from '../../../../edge/http/api/schemas/texts.js';

/** Claims that are the same in every token or differ in each token. They do not identify who can publish. */
const NOT_CHOSEN = new Set(['iss', 'aud', 'exp', 'nbf', 'iat', 'jti', 'nonce', 'auth_time', 'azp']);

/** Claims that identify a repository or project, most specific first. */
const NAMING = ['repository', 'project_path', 'repository_id', 'project_id', 'sub'] as const;

/** IDs that stay with an owner, repository or project even if its name is taken over. */
const IDS = ['repository_id', 'repository_owner_id', 'project_id', 'namespace_id'] as const;

/** Claims that have the same format at every issuer, each with its format and an error message. */
const SHAPES: Readonly<Record<string, readonly [shape: RegExp, message: string]>> = {
  repository: [/^[\w.-]+\/[\w.-]+$/, 'must be an owner and a name, such as octo-org/website'],
  project_path: [/^[\w.-]+(?:\/[\w.-]+)+$/, 'must be a group and a name, such as group/website'],
  repository_id: [/^\d+$/, 'must contain only digits'],
  repository_owner_id: [/^\d+$/, 'must contain only digits'],
  project_id: [/^\d+$/, 'must contain only digits'],
  namespace_id: [/^\d+$/, 'must contain only digits'],
};

/**
 * Hosts of issuers from which anyone can get tokens. A publisher with one of these issuers must identify a repository
 * or project.
 */
const FOR_EVERYBODY: Readonly<Record<string, { readonly naming: string; readonly ids: readonly string[] }>> = {
  'token.actions.githubusercontent.com': { naming: 'repository', ids: ['repository_id', 'repository_owner_id'] },
  'gitlab.com': { naming: 'project_path', ids: ['project_id', 'namespace_id'] },
};

const ofEverybody = (issuer: string) => FOR_EVERYBODY[URL.parse(issuer)?.hostname ?? ''];

const name = z.string().regex(/^[A-Za-z_][\w./:-]{0,99}$/, 'is not a valid claim name');
const value = z
  .string()
  .min(1)
  .max(255)
  .regex(NO_BLANK, 'must not contain spaces or control characters')
  .regex(/^[^*?]*$/, 'must not contain * or ?, because claims are compared exactly and not as patterns')
  .meta({ pattern: '^[^\\s*?\\u0000-\\u001f\\u007f-\\u009f]+$' });

/** zod silently drops `__proto__` from a record, and a dropped claim would allow more jobs to publish. */
function withoutProto(claims: unknown, context: z.RefinementCtx): unknown {
  if (Object.hasOwn(Object(claims), '__proto__'))
    context.addIssue({ code: 'custom', path: ['__proto__'], message: 'is not a valid claim name' });
  return claims;
}

/** JSON Schema of the claims for /openapi.json. It describes the validation below. */
const ofClaims = {
  minProperties: 1,
  maxProperties: 20,
  properties: Object.fromEntries(
    Object.entries(SHAPES).map(([claim, [shape]]) => [
      claim,
      { type: 'string', maxLength: 255, pattern: shape.source },
    ]),
  ),
  not: { anyOf: [...[...NOT_CHOSEN].map(having), lacking(...NAMING)] },
};

/** Claims that a job's token must contain, compared exactly. At least one must identify a repository or project. */
export const PublisherBody = z
  .strictObject({
    issuer: z.string().min(1).max(255).meta({
      description: 'URL of the issuer, exactly as in its tokens.',
      pattern: '^https?://(?:[a-z0-9.-]+|\\[[0-9a-f:.]+\\])(?::\\d{1,5})?(?:/[!-~]*)?$',
    }),
    claims: z.preprocess(
      withoutProto,
      z.record(name, value).meta({
        ...ofClaims,
        description:
          'Claims that a job’s ID token must contain. They are compared exactly. For example: `{ "repository": "octo-org/website", "ref": "refs/heads/main" }`. At least one must identify a repository or project.',
      }),
    ),
  })
  .superRefine(({ issuer, claims }, context) => {
    const fault = (message: string, ...path: string[]) => context.addIssue({ code: 'custom', path, message });
    for (const [claim, said] of Object.entries(claims)) {
      const [shape, message] = SHAPES[claim] ?? [];
      if (NOT_CHOSEN.has(claim)) fault('is not allowed, because it does not identify who may publish', 'claims', claim);
      else if (shape && !shape.test(said)) fault(`${message}`, 'claims', claim);
    }
    const wanted = ofEverybody(issuer)?.naming;
    if (wanted !== undefined && !Object.hasOwn(claims, wanted))
      fault(`must include ${wanted}; otherwise anyone with an account at this issuer could publish`, 'claims');
    else if (findProject(claims) === null)
      fault(`must identify a repository or project with one of ${NAMING.join(', ')}`, 'claims');
    if (Object.keys(claims).length > 20) fault('must have at most 20 fields', 'claims');
  });

type PublisherClaims = Readonly<Record<string, string>>;

/** Returns the claim that the publisher is indexed by, or null if no claim identifies a repository or project. */
export function findProject(claims: PublisherClaims): string | null {
  const [first] = listProjects(claims);
  return first ?? null;
}

/** Returns every claim that a matching publisher could be indexed by. */
export const listProjects = (claims: PublisherClaims): readonly string[] =>
  NAMING.flatMap((claim) => (Object.hasOwn(claims, claim) ? [`${claim}=${claims[claim]}`] : []));

/**
 * Returns the IDs that a publisher is bound to at its first use, so that nobody can publish by taking over an abandoned
 * name. Returns null if the token lacks an ID that its issuer includes in every token.
 */
export function selectBoundClaims(issuer: string, claims: PublisherClaims): PublisherClaims | null {
  const expected = ofEverybody(issuer)?.ids ?? [];
  if (!expected.every((id) => Object.hasOwn(claims, id))) return null;
  return Object.fromEntries(IDS.flatMap((id) => (claims[id] === undefined ? [] : [[id, claims[id]]])));
}
