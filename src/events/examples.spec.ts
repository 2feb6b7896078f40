import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { catalogue } from './catalogue.js';
import { siteEvents } from './site/site.events.js';
import { summarizeEvent } from './site/site-summary.js';

type Data = Readonly<Record<string, unknown>>;

/**
 * Values that no member of an event accepts, except flags, priorities and `config`, whose content belongs to the user.
 */
const nonsense = [undefined, true, -1, 0.5, [], {}];
const canFit = (name: string, value: unknown, example: unknown) =>
  typeof example === 'boolean'
    ? value === true
    : (name === 'config' && value?.constructor === Object) || (name === 'priority' && value === -1);

// All versions of stored events remain readable, and only data that matches the schema is written.
describe.each(catalogue.types.map((type) => [type.type, type] as const))('The example of %s', (name, type) => {
  const examples = type.examples as readonly Data[];
  const newest = examples.at(-1)!;

  it.each(examples.map((data, index) => [index + 1, data] as const))(
    'an example stored in version %i is read as the newest version',
    (schema, data) => expect(catalogue.write(name, catalogue.read(name, data, schema))).toBe(type.schema),
  );

  it('an example in the newest version is returned unchanged when it is read', () =>
    expect(catalogue.read(name, newest, type.schema)).toEqual(newest));

  for (const member of Object.keys(newest))
    it(`an example is rejected without ${member}`, () => {
      const { [member]: _, ...rest } = newest;
      expect(() => catalogue.write(name, rest)).toThrow(expect.objectContaining({ name: 'ZodError' }));
    });

  for (const member of Object.keys(newest))
    it(`an example is rejected with an invalid ${member}`, () => {
      for (const value of nonsense.filter((value) => !canFit(member, value, newest[member]))) {
        // Skip a value that the example itself contains, such as `{}` for a plan without overrides.
        if (isDeepStrictEqual(value, newest[member])) continue;
        expect(() => catalogue.write(name, { ...newest, [member]: value })).toThrow();
      }
    });

  it('an example with unknown members is rejected, so that no secret is stored by mistake', () =>
    expect(() => catalogue.write(name, { ...newest, editToken: 'stele_edit_x' })).toThrow(/editToken/));
});

const versions = siteEvents.flatMap(({ type, examples }) =>
  (examples as readonly Data[]).map((data, index) => [type, index + 1, data] as const),
);

it.each(versions)('the history describes the event %s, stored in version %i, in one line', (type, schema, data) =>
  expect(summarizeEvent({ type, schema, data, actor: {} })).toMatch(/^[A-Z](?!.*(undefined|null|\[object))[^\n]*$/),
);
