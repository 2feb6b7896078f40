import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Files of a commit by path: text or bytes, an executable file (`run`), a symbolic link, or a submodule's commit. */
export type Tree = Readonly<
  Record<
    string,
    string | Buffer | { readonly link: string } | { readonly submodule: string } | { readonly run: string | Buffer }
  >
>;

const env = { PATH: process.env.PATH, HOME: '/nonexistent', GIT_CONFIG_GLOBAL: '/dev/null' };

/**
 * Serves a folder of repositories with `git http-backend`, like an operator's own git server. Listens on loopback by
 * default.
 */
export class GitHost {
  /** All received requests, as `METHOD url`. */
  readonly requests: string[] = [];

  private constructor(
    readonly folder: string,
    private readonly server: ReturnType<typeof createServer>,
  ) {}

  /** `first` is called before git handles a request. It can respond itself and return true, or delay the request. */
  static async open(
    first: (request: IncomingMessage, answer: ServerResponse) => boolean | Promise<boolean> = () => false,
    { address, port } = { address: '127.0.0.1', port: 0 },
  ) {
    const folder = await mkdtemp(join(tmpdir(), 'stele-git-'));
    const listener: RequestListener = async (request, answer) => {
      host.requests.push(`${request.method} ${request.url}`);
      if (!(await first(request, answer))) backend(folder, request, answer);
    };
    const server = createServer(listener).listen(port, address);
    const host = new GitHost(folder, server);
    await once(server, 'listening');
    return host;
  }

  get port() {
    return (this.server.address() as AddressInfo).port;
  }

  /** Returns the host in the format of `STELE_REPO_HOSTS`. */
  get listed() {
    const { address, port } = this.server.address() as AddressInfo;
    return `${address}:${port}`;
  }

  url(name: string) {
    return `http://${this.listed}/${name}.git`;
  }

  /**
   * Commits the tree as the complete content of the branch, and returns the commit. Without `parent`, the branch's
   * earlier commits are no longer part of its history.
   */
  commit(name: string, tree: Tree, branch = 'main', parent?: string): string {
    if (!existsSync(this.path(name)))
      execFileSync('git', ['init', '--bare', '-q', '-b', 'main', this.path(name)], { env });
    this.#run(name, ['fast-import', '--quiet', '--force'], fastImport(tree, branch, parent));
    return this.#run(name, ['rev-parse', branch]);
  }

  /** Creates a tree from entries of the form `mode type oid\tname`. Accepts entries that other git commands reject. */
  tree(name: string, entries: readonly string[]): string {
    return this.#run(name, ['mktree', '--missing'], `${entries.join('\n')}\n`);
  }

  /** Commits the tree with this object ID as the complete content of the main branch. */
  show(name: string, tree: string) {
    const ann = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org'];
    const commit = this.#run(name, [...ann, 'commit-tree', '-m', 'site', tree]);
    this.#run(name, ['update-ref', 'refs/heads/main', commit]);
  }

  path(name: string) {
    return join(this.folder, `${name}.git`);
  }

  #run(name: string, args: readonly string[], input: string | Buffer = ''): string {
    return execFileSync('git', ['--git-dir', this.path(name), ...args], { env, input })
      .toString()
      .trim();
  }

  async close() {
    this.server.closeAllConnections();
    this.server.close();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** Returns a commit in the format of `git fast-import`, which accepts any path. */
function fastImport(tree: Tree, branch: string, parent?: string): Buffer {
  const pieces: (string | Buffer)[] = [
    `commit refs/heads/${branch}\ncommitter Ann <ann@example.org> 1700000000 +0000\ndata 4\nsite\n`,
    `${parent === undefined ? '' : `from ${parent}\n`}deleteall\n`,
  ];
  for (const [path, content] of Object.entries(tree)) {
    const name = /[\n"]/.test(path) ? JSON.stringify(path) : path;
    if (typeof content === 'object' && 'submodule' in content) {
      pieces.push(`M 160000 ${content.submodule} ${name}\n`);
      continue;
    }
    const [mode, bytes] = modeAndBytes(content);
    pieces.push(`M ${mode} inline ${name}\ndata ${bytes.length}\n`, bytes, '\n');
  }
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
}

function modeAndBytes(
  content: string | Buffer | { link: string } | { run: string | Buffer },
): [mode: string, bytes: Buffer] {
  if (Buffer.isBuffer(content)) return ['100644', content];
  if (typeof content === 'string') return ['100644', Buffer.from(content)];
  return 'link' in content ? ['120000', Buffer.from(content.link)] : ['100755', Buffer.from(content.run)];
}

/** Implements as much of CGI (RFC 3875) as git needs. */
function backend(folder: string, request: IncomingMessage, answer: ServerResponse) {
  // Git would wait forever for the rest of the body if the client has already disconnected.
  if (answer.destroyed) return;
  const [path = '', query = ''] = (request.url ?? '').split('?', 2);
  const child = spawn('git', ['http-backend'], {
    env: {
      ...env,
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: path,
      QUERY_STRING: query,
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.on('error', () => undefined);
  request.pipe(child.stdin);
  let head = Buffer.alloc(0);
  child.stdout.on('data', (piece: Buffer) => {
    if (answer.headersSent) return void answer.write(piece);
    head = Buffer.concat([head, piece]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    const lines = head.toString('latin1', 0, end).split('\r\n');
    const headers = Object.fromEntries(lines.map((line) => line.split(': ', 2) as [string, string]));
    answer.writeHead(Number.parseInt(headers.Status ?? '200', 10), headers);
    answer.write(head.subarray(end + 4));
  });
  child.on('close', () => answer.end());
  answer.on('close', () => child.kill());
}
