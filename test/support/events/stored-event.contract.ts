import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { catalogue } from '../../../src/events/catalogue.js';
import type { AnyEventType } from '../../../src/events/event-type.js';

type Data = Record<string, unknown>;

/** For each event type, the data of each schema version as it was stored, oldest first. Examples must never change. */
export type Examples = Record<string, readonly [Data, ...Data[]]>;

/**
 * Values that no member of an event accepts. Flags, priorities and `config`, whose content belongs to the user, are
 * exceptions.
 */
const nonsense = [undefined, true, -1, 0.5, [], {}];
const canFit = (name: string, value: unknown, example: unknown) =>
  typeof example === 'boolean'
    ? value === true
    : (name === 'config' && value?.constructor === Object) || (name === 'priority' && value === -1);

/** Checks that all versions of stored events remain readable, and that data must match the schema to be written. */
export function storedEventContract(types: readonly AnyEventType[], examples: Examples) {
  it('there is an example of every version of every type', () =>
    expect(Object.fromEntries(types.map(({ type, schema }) => [type, schema]))).toEqual(
      Object.fromEntries(Object.entries(examples).map(([type, versions]) => [type, versions.length])),
    ));

  describe.each(Object.entries(examples))('%s', (type, versions) => {
    const newest = versions.at(-1) ?? {};

    it.each(versions.map((data, index) => [index + 1, data] as const))(
      'version %i is read as the newest version',
      (schema, data) => expect(catalogue.write(type, catalogue.read(type, data, schema))).toBe(versions.length),
    );

    it('the newest version is read as it was stored', () =>
      expect(catalogue.read(type, newest, versions.length)).toEqual(newest));

    for (const name of Object.keys(newest))
      it(`an event without ${name} is rejected`, () => {
        const { [name]: _, ...rest } = newest;
        expect(() => catalogue.write(type, rest)).toThrow(expect.objectContaining({ name: 'ZodError' }));
      });

    for (const name of Object.keys(newest))
      it(`an event with an invalid ${name} is rejected`, () => {
        for (const value of nonsense.filter((value) => !canFit(name, value, newest[name]))) {
          // Some examples legitimately contain one of these values: `{}` is a plan without overrides.
          if (isDeepStrictEqual(value, newest[name])) continue;
          expect(() => catalogue.write(type, { ...newest, [name]: value })).toThrow();
        }
      });

    it('unknown members are rejected, so that no secret slips in', () =>
      expect(() => catalogue.write(type, { ...newest, editToken: 'stele_edit_x' })).toThrow(/editToken/));
  });
}
