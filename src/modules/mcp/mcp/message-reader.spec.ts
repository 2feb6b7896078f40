import { describe, expect, it } from '@jest/globals';
import { Refusal } from '../../../kernel/refusal.js';
import { MessageReader } from './message-reader.js';

function read(json: string, size = 65_536) {
  const reader = new MessageReader();
  const bytes = Buffer.from(json);
  for (let at = 0; at < bytes.length; at += size) reader.add(bytes.subarray(at, at + size));
  const { message, content } = reader.end();
  return { message, content: Object.fromEntries([...content].map(([name, value]) => [name, value.toString()])) };
}

const calling = (given: string) => `{"method":"tools/call","params":{"name":"deploy","arguments":${given}},"id":1}`;
const called = (given: unknown) => ({ method: 'tools/call', params: { name: 'deploy', arguments: given }, id: 1 });

describe('Reading a message with files', () => {
  it.each([
    ['a page', String.raw`{"html":"a\"},\\","slug":"b"}`, { html: true, slug: 'b' }, { html: String.raw`"a\"},\\"` }],
    [
      'files',
      '{"slug":"b", "files" : [{"path":"a","content":"]}"}] }',
      { slug: 'b', files: true },
      { files: ' [{"path":"a","content":"]}"}] ' },
    ],
    ['the last of two pages', '{"html":"a","html":"b"}', { html: true }, { html: '"b"' }],
    ['no content under an escaped name', String.raw`{"\u0068tml":"a"}`, { html: 'a' }, {}],
    ['no content under a nested name', '{"a":{"html":"b"},"b":["html"]}', { a: { html: 'b' }, b: ['html'] }, {}],
  ])('extracts %s from the message', (_, given, rest, content) => {
    for (const size of [1, 7, 65_536])
      expect([size, read(calling(given), size)]).toEqual([size, { message: called(rest), content }]);
  });

  it.each([
    '{"params":[{"html":"a"}]}',
    '{"arguments":{"params":{"html":"a"}}}',
    '{"a":{"arguments":1},"params":[{"html":"a"}]}',
    '{"html":"a","params":{"html":"b"}}',
    '[{"params":{"arguments":{"html":"a"}}}]',
  ])('leaves content outside a tool’s arguments in the message: %s', (json) => {
    for (const size of [1, 65_536]) expect(read(json, size)).toEqual({ message: JSON.parse(json), content: {} });
  });

  it('the size limit of a message does not apply to its HTML and files', () => {
    expect(read(calling(`{"html":"${'x'.repeat(1_000_000)}"}`)).content.html).toHaveLength(1_000_002);
    expect(read(calling(`{"files":[${'{"path":"a"},'.repeat(50_000)}{}]}`)).message).toEqual(called({ files: true }));
    const small = (json: string) => () => read(json);
    expect(small(calling(`{"slug":"${'x'.repeat(300_000)}"}`))).toThrow(Refusal);
    expect(small(calling(`{"html":"x","more":"${'x'.repeat(300_000)}"}`))).toThrow(Refusal);
    expect(small(calling(`{"html":"x","more":[${'1,'.repeat(1_000)}1]}`))).toThrow(Refusal);
    expect(small(calling(`{${'"html":"x",'.repeat(1_100)}"a":1}`))).toThrow(Refusal);
  });

  it('refuses a message that ends in the middle of its content', () => {
    expect(() => read('{"params":{"arguments":{"html":"x"')).toThrow(Refusal);
    expect(() => read('{"params":{"arguments":{"html":"x')).toThrow(Refusal);
  });
});
