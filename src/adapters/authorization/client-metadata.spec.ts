import { describe, expect, it } from '@jest/globals';
import { clientMetadata } from './client-metadata.js';

const of = (redirect: unknown) => clientMetadata({ redirect_uris: [redirect] });

describe('A client’s metadata', () => {
  it.each([
    'https://claude.ai/api/mcp/auth_callback',
    'https://vscode.dev/redirect?a=b',
    'http://127.0.0.1/callback',
    'http://127.0.0.1:33418/',
    'http://localhost:6274/oauth/callback',
    'http://[::1]:1/x',
    'cursor://anysphere.cursor-retrieval/oauth/callback',
    'com.example.app:/oauth',
    'vscode://example.extension/callback',
    'vscode-insiders://example.extension/callback',
    'VSCode://example.extension/callback',
  ])('a client can register the redirect URI %s', (redirect) =>
    expect(of(redirect)).toMatchObject({ redirect_uris: [redirect] }),
  );

  it.each([
    'http://agent.example/',
    'http://127.0.0.2/',
    'http://localhost.evil.example/',
    'http://127.0.0.1@evil.example/',
    'https://localhost/',
    'https://ann:secret@agent.example/',
    'https://@agent.example/',
    'https://agent.example/#',
    'JavaScript:alert(1)',
    'data:text/html,x',
    'intent://x#Intent;end',
    'intent://x',
    'search-ms:query=x',
    'ms-settings:privacy',
    'ssh://agent.example/',
    'slack://callback',
    'myapp:/callback',
    'myapp.:/callback',
    'ftp://agent.example/',
    'chrome-extension://abcdefghijklmnop/callback',
    'agent.example/callback',
    '//agent.example/callback',
    'https://agent.example/ä',
    'https://agent.example/ x',
    'https:\\\\agent.example',
    7,
    null,
  ])('a client cannot register the redirect URI %s', (redirect) =>
    expect(of(redirect)).toMatchObject({ member: 'redirect_uris', message: expect.any(String) }),
  );

  it('only a few members of the metadata are stored, and they describe a public client', () => {
    const given = {
      redirect_uris: ['https://agent.example/'],
      client_name: 'Agent',
      client_secret: 'mine',
      token_endpoint_auth_method: 'client_secret_post',
      grant_types: ['implicit'],
      logo_uri: 'https://agent.example/logo.svg',
      __proto__: { a: 1 },
    };
    expect(clientMetadata(given)).toEqual({
      redirect_uris: ['https://agent.example/'],
      client_name: 'Agent',
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    });
  });
});
