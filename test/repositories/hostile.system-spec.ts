// needs: database, git

import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { hostname } from 'node:os';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';
import { GitHost } from '../support/sites/git-host.js';
import { eventsOf, jobOver, linesOf } from '../support/sites/jobs.js';

jest.setTimeout(120_000);

type Answering = (request: IncomingMessage, answer: ServerResponse) => boolean;

describe('Malicious repositories', () => {
  let host: GitHost;
  let answering: Answering = () => false;
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  /** A server that no caller may reach, such as an operator's database or a metadata service. */
  let inside: { readonly port: number; readonly reached: () => number; close(): void };

  beforeAll(async () => {
    let reached = 0;
    const server = createServer((socket) => {
      reached++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, resolve));
    inside = { port: (server.address() as AddressInfo).port, reached: () => reached, close: () => server.close() };
    host = await GitHost.open((request, answer) => answering(request, answer));
    temporary = await temporaryFolder('hostile');
    stele = await startStele({ folder: temporary.folder, env: { STELE_REPO_HOSTS: host.listed } });
  }, 60_000);
  afterAll(async () => {
    await stele?.stop();
    await host.close();
    inside.close();
    await temporary.remove();
  });

  const check = (url: string, more: object = {}) => stele.api.post('/v1/repo/check').send({ url, ...more });
  const codeOf = async (url: string) => (await check(url)).body.code;
  const failedWith = async (name: string) => {
    const { body } = await stele.api
      .post('/v1/repo/deploy')
      .send({ url: host.url(name) })
      .expect(200);
    const { status, error } = await jobOver(stele, body.jobId);
    return [status, error?.code];
  };
  const nothingLeft = async () => {
    expect(inside.reached()).toBe(0);
    expect(await stele.gitsBelow()).toEqual([]);
    expect(await stele.copies()).toEqual([]);
  };
  const during = async <T>(answers: Answering, work: () => Promise<T>): Promise<T> => {
    answering = answers;
    try {
      return await work();
    } finally {
      answering = () => false;
    }
  };

  it('a repository on the internal network is refused, however its URL is written', async () => {
    const { port } = inside;
    const hosts = [
      ...['127.0.0.1', '127.1', '2130706433', '0x7f000001', '0x7f.0.0.1', '0177.0.0.1', '017700000001', '127.0.0.1.'],
      ...[
        '0.0.0.0',
        '0',
        '[::]',
        '[::1]',
        '[0:0:0:0:0:0:0:1]',
        '[::ffff:127.0.0.1]',
        '[::127.0.0.1]',
        '[64:ff9b::7f00:1]',
      ],
      ...['[2002:7f00:1::]', '[fe80::1]', '169.254.169.254', '0xa9fea9fe', '10.0.0.1', '192.168.0.1', '172.16.0.1'],
      ...['localhost', 'LOCALHOST', 'localhost.', hostname()],
    ];
    for (const name of hosts) {
      const answers = [
        await check(`https://${name}:${port}/a`),
        await stele.api.post('/v1/repo/deploy').send({ url: `https://${name}:${port}/a` }),
        await check(`http://${name}:${port}/a`),
      ];
      expect([name, ...answers.map(({ body }) => body.code)]).toEqual([
        name,
        'repo_not_allowed',
        'repo_not_allowed',
        'repo_not_allowed',
      ]);
    }
    await nothingLeft();
    expect((await stele.log()).filter(({ type }) => type.startsWith('Job'))).toEqual([]);
  }, 60_000);

  it.each([
    ['ext::sh -c id', 'invalid_request'],
    ['ext::sh%20-c%20id', 'repo_not_allowed'],
    ['file:///etc/passwd', 'repo_not_allowed'],
    // The service converts ssh and git URLs to https URLs on the same host.
    ['ssh://git@127.0.0.1/a/b', 'repo_not_allowed'],
    ['git://127.0.0.1/a/b', 'repo_not_allowed'],
    ['git@127.0.0.1:a/b.git', 'repo_not_allowed'],
    ['ssh://git:secret@github.com/a/b', 'repo_not_allowed'],
    ['--upload-pack=id', 'invalid_request'],
    ['https://user:secret@github.com/a/b', 'repo_not_allowed'],
    ['https://nowhere.invalid/a', 'repo_unreachable'],
  ])('the repository URL %s is refused without a request to any server', async (url, code) => {
    const { body } = await check(url);
    expect([body.code, body.errors]).toEqual([code, [{ path: 'url', message: expect.any(String) }]]);
    expect(JSON.stringify(body)).not.toContain('secret');
  });

  it('a deploy from a host that does not exist is refused at once', async () => {
    const { body } = await stele.api.post('/v1/repo/deploy').send({ url: 'https://nowhere.invalid/a' }).expect(422);
    expect([body.code, body.errors]).toEqual(['repo_unreachable', [{ path: 'url', message: expect.any(String) }]]);
  });

  it.each([
    [{ ref: '--upload-pack=id' }, 'ref'],
    [{ ref: 'a..b' }, 'ref'],
    [{ rootDirectory: '../..' }, 'rootDirectory'],
    [{ rootDirectory: 'a/../../b' }, 'rootDirectory'],
    [{ plan: { outputDirectory: '../x' } }, 'plan.outputDirectory'],
    [{ plan: { kind: 'magic' } }, 'plan.kind'],
    [{ token: 'x' }, 'token'],
  ])('a deploy with %j is refused without a request to any server', async (more, path) => {
    const { body } = await stele.api
      .post('/v1/repo/deploy')
      .send({ url: host.url('a'), ...more })
      .expect(400);
    expect(body).toMatchObject({ code: 'invalid_request', errors: [{ path }] });
  });

  it('a missing repository and an unreachable host cause different errors', async () => {
    expect((await check(host.url('none')).expect(422)).body).toMatchObject({
      code: 'repo_unreachable',
      detail: 'There is no public repository at this URL.',
    });
    host.commit('one', { 'index.html': 'x' });
    expect((await check(host.url('one'), { ref: 'other' }).expect(422)).body).toMatchObject({
      code: 'repo_unreachable',
      errors: [{ path: 'ref', message: expect.any(String) }],
    });
    expect((await check(host.url('one'), { rootDirectory: 'docs' }).expect(422)).body.code).toBe('plan_not_detected');
    host.commit('readme', { 'README.md': '# x' });
    expect((await check(host.url('readme')).expect(422)).body.code).toBe('plan_not_detected');
  });

  it('a redirect to a moved repository is followed, but not into the internal network', async () => {
    host.commit('moved', { 'index.html': 'x' });
    const to =
      (target: string, when: (request: IncomingMessage) => boolean): Answering =>
      (request, answer) => {
        if (!when(request)) return false;
        answer.writeHead(302, { location: target }).end();
        return true;
      };
    const first = ({ url }: IncomingMessage) => url?.startsWith('/old.git') === true;
    const refs = 'info/refs?service=git-upload-pack';
    const { body } = await during(to(`/moved.git/${refs}`, first), () => check(host.url('old')));
    expect(body.repo.url).toBe(host.url('moved'));

    const { port } = inside;
    for (const target of [
      `http://127.0.0.1:${port}/${refs}`,
      `https://127.0.0.1:${port}/a/${refs}`,
      `https://localhost:${port}/a/${refs}`,
      `file:///etc/${refs}`,
    ])
      expect([target, await during(to(target, first), () => codeOf(host.url('old')))]).toEqual([
        target,
        'repo_not_allowed',
      ]);
    for (const target of ['/elsewhere', `https://127.0.0.1:${port}/`, '', `/old.git/${refs}`])
      expect([target, await during(to(target, first), () => codeOf(host.url('old')))]).toEqual([
        target,
        'repo_unreachable',
      ]);

    // Redirects only git's request for the pack.
    const later = ({ method }: IncomingMessage) => method === 'POST';
    expect(await during(to(`http://127.0.0.1:${port}/x`, later), () => codeOf(host.url('moved')))).toBe(
      'repo_unreachable',
    );
    await nothingLeft();
  }, 60_000);

  it('the dumb HTTP protocol, which could refer to other hosts for objects, is refused', async () => {
    const dumb: Answering = ({ url }, answer) => {
      if (url?.endsWith('http-alternates')) answer.end(`http://127.0.0.1:${inside.port}/objects\n`);
      else if (url?.includes('info/refs')) answer.end(`${'1'.repeat(40)}\trefs/heads/main\n`);
      else if (url?.endsWith('HEAD')) answer.end('ref: refs/heads/main\n');
      else answer.writeHead(404).end();
      return true;
    };
    expect(await during(dumb, () => codeOf(host.url('dumb')))).toBe('repo_unreachable');

    // The host sends a valid response to the service's own check, but uses the dumb protocol when git connects.
    let asked = 0;
    const twoFaced: Answering = (request, answer) => {
      if (asked++ > 0 || !request.url?.includes('info/refs')) return dumb(request, answer);
      const line = `${'1'.repeat(40)} HEAD\0shallow\n`;
      answer.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
      answer.end(`001e# service=git-upload-pack\n0000${packet(line)}0000`);
      return true;
    };
    expect(await during(twoFaced, () => codeOf(host.url('two')))).toBe('repo_unreachable');
    await nothingLeft();
  }, 60_000);

  it('a repository that is too large is refused while it is being downloaded', async () => {
    const oid = '1'.repeat(40);
    const endless: Answering = (request, answer) => {
      if (request.method !== 'POST') {
        answer.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
        const refs = packet(`${oid} HEAD\0shallow\n`) + packet(`${oid} refs/heads/main\n`);
        answer.end(`001e# service=git-upload-pack\n0000${refs}0000`);
      } else {
        answer.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' });
        const shallow = `${packet(`shallow ${oid}`)}0000`;
        void text(request).then(async (asked) => {
          if (!asked.includes('done')) return void answer.end(shallow);
          answer.write(`${shallow}0008NAK\n`);
          await endlessPack(answer);
        });
      }
      return true;
    };
    const { body } = await during(endless, () => check(host.url('endless')).expect(413));
    expect(body).toMatchObject({ code: 'too_large', detail: expect.stringContaining('256 MiB') });
    await nothingLeft();
  }, 180_000);

  it('a repository is refused if it has 200,000 files, or if a few objects expand to even more files', async () => {
    const files = Object.fromEntries(Array.from({ length: 200_000 }, (_, n) => [`${n % 200}/${n}.html`, '']));
    host.commit('many', { 'index.html': 'x', ...files });
    expect((await check(host.url('many')).expect(413)).body.code).toBe('too_many_files');
    expect(await failedWith('many')).toEqual(['failed', 'too_many_files']);

    host.commit('bomb', { f: 'x' });
    let tree = host.tree('bomb', ['100644 blob c1b0730e0133447badcfd47fd144e254807b06e1\tf']);
    for (let level = 0; level < 10; level++)
      tree = host.tree(
        'bomb',
        Array.from({ length: 10 }, (_, n) => `040000 tree ${tree}\t${n}`),
      );
    host.show('bomb', tree);
    expect((await check(host.url('bomb')).expect(413)).body.code).toBe('too_many_files');
    await nothingLeft();
  }, 240_000);

  it('a repository whose file names take up more space than its file contents is refused', async () => {
    host.commit('endless', { f: 'x' });
    const x = oidOfX(host);
    const files = Array.from({ length: 2_000 }, (_, n) => `100644 blob ${x}\t${n}`);
    const inner = host.tree('endless', files);
    host.show('endless', host.tree('endless', [`040000 tree ${inner}\t${'d'.repeat(60_000)}`]));
    expect((await check(host.url('endless')).expect(413)).body.code).toBe('too_large');
    await nothingLeft();
  }, 60_000);

  it('a job fails with the exceeded limit if its repository has more or larger files than a deploy allows', async () => {
    host.commit(
      'files',
      Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [n === 0 ? 'index.html' : `${n}`, 'x'])),
    );
    expect(await failedWith('files')).toEqual(['failed', 'too_many_files']);
    host.commit('large', { 'index.html': 'x', zeros: Buffer.alloc(64 * 1_048_576) });
    expect(await failedWith('large')).toEqual(['failed', 'too_large']);
    await nothingLeft();
  }, 60_000);

  it.each(['..', '.git', '.GIT'])('a file called %s is refused by git', async (name) => {
    host.commit('names', { f: 'x' });
    const inner = host.tree('names', [`100644 blob ${oidOfX(host)}\tconfig`]);
    host.show('names', host.tree('names', [`040000 tree ${inner}\t${name}`]));
    expect(await codeOf(host.url('names'))).toBe('repo_unreachable');
  });

  it('a job fails if a path of the repository is invalid, and its error contains the path', async () => {
    host.commit('case', { 'index.html': 'x', 'A.html': '1', 'a.html': '2' });
    const { body } = await stele.api
      .post('/v1/repo/deploy')
      .send({ url: host.url('case') })
      .expect(200);
    const { error } = await jobOver(stele, body.jobId);
    expect(error).toMatchObject({ code: 'invalid_path', message: expect.stringContaining('a.html') });
  });

  it('hooks, filters, links, submodules and LFS files have no effect, and skipped files are logged', async () => {
    const away = `http://127.0.0.1:${inside.port}/x.git`;
    host.commit('traps', {
      'index.html': '<h1>fine</h1>',
      '.gitattributes': '* filter=evil\n*.bin filter=lfs',
      '.gitmodules': `[submodule "s"]\n\tpath = s\n\turl = ${away}\n`,
      '.lfsconfig': `[lfs]\n\turl = ${away}\n`,
      'hooks/post-checkout': '#!/bin/sh\ntouch /tmp/stele-hook-ran\n',
      '.env.production': 'SECRET=1',
      'node_modules/a/index.js': 'x',
      s: { submodule: '1'.repeat(40) },
      'passwd.txt': { link: '/etc/passwd' },
      up: { link: '../../..' },
      'big.bin': `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 5\n`,
      'name\nwith a line.txt\n\nevent: end\ndata: x': { link: 'x' },
    });
    const { body: checked } = await check(host.url('traps')).expect(200);
    expect(checked.warnings).toEqual([
      expect.stringContaining('big.bin is stored in Git LFS'),
      '3 symbolic links will be skipped.',
      '1 submodule will be skipped.',
    ]);

    const { body } = await stele.api
      .post('/v1/repo/deploy')
      .send({ url: host.url('traps') })
      .expect(200);
    expect(await jobOver(stele, body.jobId)).toMatchObject({ status: 'succeeded' });
    const said = linesOf(await eventsOf(stele, body.jobId)).map(({ text }) => text);
    for (const path of ['.env.production', 'node_modules/a/index.js', 's', 'passwd.txt', 'up', 'big.bin']) {
      expect(said).toContainEqual(expect.stringContaining(`Skipped ${path}: `));
      await stele.visit(body.slug, `/${path}`).expect(404);
    }
    expect(said).toContainEqual(expect.stringContaining('event: end\ndata: x'));
    await stele.visit(body.slug, '/hooks/post-checkout').expect(200);
    await nothingLeft();
  }, 60_000);

  it('a broken or silent Git server does not block the service for long', async () => {
    const names = ['cut', 'garbage', 'stalled', 'silent'];
    for (const name of names) host.commit(name, { 'index.html': 'x' });
    const broken: Answering = ({ url = '', method }, answer) => {
      if (method === 'POST' && url.startsWith('/cut')) return answer.destroy() !== undefined;
      if (method === 'POST' && url.startsWith('/garbage')) return answer.end('0008NAK\nPACKgarbage') !== undefined;
      return (method === 'POST' && url.startsWith('/stalled')) || url.startsWith('/silent');
    };
    const before = Date.now();
    const codes = await during(broken, () => Promise.all(names.map((name) => codeOf(host.url(name)))));
    expect(codes).toEqual(names.map(() => 'repo_unreachable'));
    expect(Date.now() - before).toBeLessThan(90_000);
    await nothingLeft();
  }, 180_000);
});

const packet = (line: string) => (line.length + 4).toString(16).padStart(4, '0') + line;

const oidOfX = (host: GitHost) => {
  host.commit('blobs', { f: 'x' });
  return 'c1b0730e0133447badcfd47fd144e254807b06e1';
};

/**
 * Sends a blob of 4 GiB without compression (RFC 1951 section 3.2.4), so that the transfer is as large as the content.
 */
async function endlessPack(answer: ServerResponse) {
  const header = Buffer.from('5041434b0000000200000001', 'hex');
  const size = 2 ** 32;
  const varint = [0x30 | (size & 15) | 0x80];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    varint.push((rest % 128) | (rest >= 128 ? 0x80 : 0));
  }
  answer.write(Buffer.concat([header, Buffer.from(varint), Buffer.from('7801', 'hex')]));
  const block = Buffer.concat([Buffer.from('00ffff0000', 'hex'), Buffer.alloc(65_535, 7)]);
  while (!answer.destroyed) {
    if (!answer.write(block)) {
      await new Promise<void>((resolve) => {
        answer.once('drain', resolve).once('close', resolve);
      });
    }
  }
}
