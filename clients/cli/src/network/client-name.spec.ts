import { describe, expect, it } from '@jest/globals';
import { formatClientName } from './client-name.js';
import { needsRestart } from './proxy.js';

describe('formatClientName', () => {
  it('the client name contains the command and its version', () => {
    expect(formatClientName({}, '1.2.3')).toBe('stele-cli/1.2.3');
  });

  it('the client name contains the AI agent that runs the command', () => {
    expect(formatClientName({ AI_AGENT: 'helper/2' }, '1.2.3')).toBe('stele-cli/1.2.3; agent=helper/2');
    expect(formatClientName({ CLAUDECODE: '1' }, '1.2.3')).toBe('stele-cli/1.2.3; agent=claude-code');
  });

  it('the client name has at most 60 characters, all of them visible ASCII', () => {
    const name = formatClientName({ AI_AGENT: `é\n${'x'.repeat(100)}` }, '1.2.3');
    expect(name).toMatch(/^stele-cli\/1\.2\.3; agent=-x+$/);
    expect(name).toHaveLength(60);
  });
});

describe('needsRestart', () => {
  it('a restart is needed only if a proxy is configured and Node was not told to use it', () => {
    expect(needsRestart({})).toBe(false);
    expect(needsRestart({ HTTPS_PROXY: '' })).toBe(false);
    expect(needsRestart({ HTTPS_PROXY: 'http://proxy:3128' })).toBe(true);
    expect(needsRestart({ http_proxy: 'http://proxy:3128' })).toBe(true);
    expect(needsRestart({ HTTPS_PROXY: 'http://proxy:3128', NODE_USE_ENV_PROXY: '1' })).toBe(false);
  });
});
