import { describe, expect, it } from '@jest/globals';
import { isCi } from './ci-identity.js';

describe('isCi', () => {
  it.each([
    ['CI', 'true'],
    ['CI', '1'],
    ['CI', 'woodpecker'],
    ['APPVEYOR', 'True'],
    ['BITBUCKET_BUILD_NUMBER', '7'],
    ['BUILDKITE', 'true'],
    ['CIRCLECI', 'true'],
    ['CIRRUS_CI', 'true'],
    ['CODEBUILD_BUILD_ID', 'site:b1a2'],
    ['CONTINUOUS_INTEGRATION', 'true'],
    ['DRONE', 'true'],
    ['FORGEJO_ACTIONS', 'true'],
    ['GITEA_ACTIONS', 'true'],
    ['GITHUB_ACTIONS', 'true'],
    ['GITLAB_CI', 'true'],
    ['GO_PIPELINE_LABEL', '12'],
    ['HUDSON_URL', 'https://ci.example.org/'],
    ['JENKINS_URL', 'https://ci.example.org/'],
    ['SEMAPHORE', 'true'],
    ['TEAMCITY_VERSION', '2025.07'],
    ['TF_BUILD', 'True'],
    ['TRAVIS', 'true'],
    ['bamboo_buildKey', 'SITE-BUILD-JOB1'],
  ])('%s=%s means that the command runs in a CI job', (name, value) => {
    expect(isCi({ [name]: value })).toBe(true);
  });

  it.each([
    ['no variable', {}],
    ['an empty CI', { CI: '' }],
    ['CI=false', { CI: 'false' }],
    ['CI=0', { CI: '0' }],
    ['CI=false, even with the variable of a service', { CI: 'false', GITHUB_ACTIONS: 'true' }],
    ['a false or empty variable of a service', { TF_BUILD: 'False', GITLAB_CI: '' }],
  ])('%s means that the command does not run in a CI job', (_, environment) => {
    expect(isCi(environment)).toBe(false);
  });
});
