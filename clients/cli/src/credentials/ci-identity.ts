import { read, type Schemas, type Stele } from 'stele-api/client';
import { NetworkError, ProblemError } from 'stele-api/problem';

type Environment = NodeJS.ProcessEnv;

/** Variables set by CI services, including services that do not set CI. */
const CI_VARIABLES = [
  'APPVEYOR',
  'BITBUCKET_BUILD_NUMBER',
  'BUILDKITE',
  'CIRCLECI',
  'CIRRUS_CI',
  'CODEBUILD_BUILD_ID',
  'CONTINUOUS_INTEGRATION',
  'DRONE',
  'FORGEJO_ACTIONS',
  'GITEA_ACTIONS',
  'GITHUB_ACTIONS',
  'GITLAB_CI',
  'GO_PIPELINE_LABEL',
  'HUDSON_URL',
  'JENKINS_URL',
  'SEMAPHORE',
  'TEAMCITY_VERSION',
  'TF_BUILD',
  'TRAVIS',
  'bamboo_buildKey',
];

const isOn = (value: string | undefined) => value !== undefined && !['', '0', 'false'].includes(value.toLowerCase());

/** Whether the command runs in a CI job. CI, if it is set, takes precedence over the variables of the services. */
export const isCi = (environment: Environment): boolean =>
  environment.CI ? isOn(environment.CI) : CI_VARIABLES.some((name) => isOn(environment[name]));

/**
 * Exchanges the identity token of a CI job for an access token of one site, so that no secret has to be stored. GitHub
 * issues identity tokens to jobs with the permission `id-token: write`. GitLab stores one in the variable that
 * `id_tokens:` names, here STELE_ID_TOKEN. Returns null if there is no identity token.
 */
export async function exchangeCiIdentity(
  stele: Stele,
  environment: Environment,
  slug: string | undefined,
): Promise<Schemas['ExchangedToken'] | null> {
  const idToken = environment.STELE_ID_TOKEN || (await requestFromGitHub(stele.instance, environment));
  if (!idToken) return null;
  return read(stele.api.POST('/v1/auth/exchange', { body: { idToken, ...(slug && { slug }) } }));
}

async function requestFromGitHub(
  audience: string,
  { ACTIONS_ID_TOKEN_REQUEST_URL: address, ACTIONS_ID_TOKEN_REQUEST_TOKEN: token }: Environment,
): Promise<string | undefined> {
  if (!address || !token) return undefined;
  const url = new URL(address);
  url.searchParams.set('audience', audience);
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } }).catch((cause: unknown) => {
    throw new NetworkError(url.href, cause);
  });
  if (!response.ok)
    throw new ProblemError({
      type: 'about:blank',
      title: 'No identity token',
      status: response.status,
      code: 'invalid_token',
      detail: `GitHub did not issue an identity token for this job (status ${response.status}). Check that the job has the permission \`id-token: write\`.`,
      instance: url.pathname,
      requestId: '',
      retryable: false,
    } as ProblemError['problem']);
  return ((await response.json()) as { value?: string }).value;
}
