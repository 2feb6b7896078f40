import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWTHeaderParameters, SignJWT } from 'jose';

type Key = CryptoKey | Uint8Array;

/** Overrides claims of a valid token; undefined removes a claim. */
export type Changes = Readonly<Record<string, unknown>>;

/** A token issuer like GitHub's: it signs tokens with the claims that GitHub documents. Tests can make it misbehave. */
export class TokenIssuer {
  /** Responses by path that replace the correct ones. */
  readonly answers = new Map<string, (response: ServerResponse) => void>();
  readonly asked: string[] = [];

  private constructor(
    private readonly server: Server,
    readonly url: string,
    readonly listed: string,
    readonly key: CryptoKey,
    readonly jwk: object,
  ) {}

  static async open(): Promise<TokenIssuer> {
    const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
    const jwk = { ...(await exportJWK(publicKey)), kid: 'key-1', use: 'sig', alg: 'RS256' };
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const listed = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const issuer = new TokenIssuer(server, `http://${listed}`, listed, privateKey, jwk);
    const json = (response: ServerResponse, value: object) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    server.on('request', ({ url = '' }, response) => {
      issuer.asked.push(url);
      const { pathname, searchParams } = new URL(url, issuer.url);
      const told = issuer.answers.get(pathname);
      if (told) told(response);
      else if (pathname === '/.well-known/openid-configuration')
        json(response, { issuer: issuer.url, jwks_uri: `${issuer.url}/.well-known/jwks` });
      else if (pathname === '/.well-known/jwks') json(response, { keys: [jwk] });
      // Endpoint at which a job on GitHub requests its token.
      else if (pathname === '/request')
        void issuer.token({ aud: searchParams.get('audience') ?? '' }).then((value) => json(response, { value }));
      else response.writeHead(404).end();
    });
    return issuer;
  }

  /** Returns the token of a job on the main branch. `changes` overrides its claims, and undefined removes a claim. */
  async token(
    changes: Changes = {},
    { key = this.key, header = {} }: { readonly key?: Key; readonly header?: Partial<JWTHeaderParameters> } = {},
  ): Promise<string> {
    const now = Math.floor(Date.now() / 1_000);
    const claims = {
      jti: crypto.randomUUID(),
      sub: 'repo:octo-org/website:ref:refs/heads/main',
      ref: 'refs/heads/main',
      sha: 'f1d2d2f924e986ac86fdf7b36c94bcdf32beec15',
      repository: 'octo-org/website',
      repository_owner: 'octo-org',
      repository_id: '74',
      repository_owner_id: '65',
      repository_visibility: 'private',
      actor: 'octocat',
      actor_id: '12',
      run_id: '30433642',
      run_number: '10',
      run_attempt: '1',
      runner_environment: 'github-hosted',
      workflow: 'publish',
      head_ref: '',
      base_ref: '',
      event_name: 'push',
      ref_type: 'branch',
      job_workflow_ref: 'octo-org/website/.github/workflows/publish.yml@refs/heads/main',
      iss: this.url,
      nbf: now - 300,
      iat: now,
      exp: now + 300,
      ...changes,
    };
    const protectedHeader = { alg: 'RS256', kid: 'key-1', typ: 'JWT', ...header };
    return new SignJWT(JSON.parse(JSON.stringify(claims))).setProtectedHeader(protectedHeader).sign(key);
  }

  close() {
    this.server.closeAllConnections();
    this.server.close();
  }
}
