// Small but expensive messages to /mcp that someone without an account can send.
import type { Actor, WorstCase } from './service.ts';
import { manyMembers, worstJson, worstTexts, worstValues } from './worst.ts';

const MESSAGE_BYTES = 4_000_000;
/** Size of a message without files, in bytes. */
const SMALL_BYTES = 260_000;

export function* worstMessages({ slug }: Actor): Generator<WorstCase> {
  const post = (what: string, json: string): WorstCase => ({
    what,
    request: {
      method: 'POST',
      path: '/mcp',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: Buffer.from(json),
    },
  });
  const message = (method: string, params: string) =>
    `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;
  const call = (name: string, given: string) => message('tools/call', `{"name":"${name}","arguments":${given}}`);
  const fields = (given: object) => JSON.stringify(given).slice(1, -1);

  yield post('tools/list', message('tools/list', '{}'));
  yield post('resources/list', message('resources/list', '{}'));
  yield post('prompts/list', message('prompts/list', '{}'));
  for (const bytes of [MESSAGE_BYTES, SMALL_BYTES]) {
    for (const [n, json] of worstJson(bytes).entries()) yield post(`body ${n}`, json);
    for (const [n, values] of worstValues(bytes, {}).entries()) {
      yield post(`tools/call with arguments ${n}`, call('get_site', values));
      yield post(`deploy_html with arguments ${n}`, call('deploy_html', values));
      yield post(`an argument ${n}`, call('get_site', `{"slug":${values}}`));
      yield post(`html ${n}`, call('deploy_html', `{"html":${values}}`));
      yield post(`files ${n}`, call('deploy_files', `{"files":${values}}`));
      yield post(`a file ${n}`, call('deploy_files', `{"files":[${values}]}`));
      yield post(`content ${n}`, call('deploy_files', `{"files":[{"path":"index.html","content":${values}}]}`));
      yield post(`name ${n}`, message('tools/call', `{"name":${values},"arguments":{}}`));
      yield post(`params ${n}`, message('tools/call', values));
      yield post(`_meta ${n}`, message('tools/call', `{"name":"get_site","arguments":{},"_meta":${values}}`));
      yield post(`prompts/get ${n}`, message('prompts/get', `{"name":"publish_this","arguments":${values}}`));
      yield post(`resources/read ${n}`, message('resources/read', `{"uri":${values}}`));
      yield post(`id ${n}`, `{"jsonrpc":"2.0","id":${values},"method":"tools/list"}`);
      yield post(
        `initialize ${n}`,
        message(
          'initialize',
          `{"protocolVersion":"2025-06-18","clientInfo":{"name":"a","version":"1"},"capabilities":${values}}`,
        ),
      );
    }
    yield post('members beside those of a message', `{"jsonrpc":"2.0","id":1,"method":"ping",${manyMembers(bytes)}}`);
    for (const text of worstTexts(bytes * 0.9)) {
      yield post('html', call('deploy_html', `{${fields({ html: text })}}`));
      yield post('slug', call('get_site', `{${fields({ slug: text })}}`));
      yield post('editToken', call('redeploy', `{${fields({ slug, html: 'x', editToken: text })}}`));
      yield post('a file', call('deploy_files', `{${fields({ files: [{ path: 'index.html', content: text }] })}}`));
      yield post('a path', call('deploy_files', `{${fields({ files: [{ path: text, content: 'x' }] })}}`));
      yield post('a method', `{${fields({ jsonrpc: '2.0', id: 1, method: text })}}`);
      yield post('an id', `{${fields({ jsonrpc: '2.0', id: text, method: 'tools/list' })}}`);
    }
    const files = Array.from({ length: bytes / 30 }, (_, n) => ({ path: `${n}.html`, content: '' }));
    yield post('many files', call('deploy_files', `{${fields({ files })}}`));
    yield post(
      'few more files than one message may have',
      call('deploy_files', `{${fields({ files: files.slice(0, 2_490) })}}`),
    );
  }
}
