import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { Catalogue, eventType, selectTypes, upcast } from './event-type.js';

// The first schema version was { town }, the second { places: [town] }, and the current one is { places, by }.
const Travelled = eventType(
  'Travelled',
  z.strictObject({ places: z.array(z.string()).min(1), by: z.string().nullable() }),
  {
    example: { places: ['Rome'], by: 'train' },
    summary: ({ places }) => `Travelled to ${places}`,
    movesLive: true,
  },
  upcast({ town: 'Rome' }, ({ town }: { town: string }) => ({ places: [town] })),
  upcast({ places: ['Rome', 'Ostia'] }, (second: { places: string[] }) => ({ ...second, by: null })),
);
const Rested = eventType('Rested', z.strictObject({ hours: z.number() }), { example: { hours: 8 }, endsStream: true });
const catalogue = new Catalogue([Travelled, Rested]);

describe('An event type', () => {
  it('an event type creates plain objects', () =>
    expect(Rested({ hours: 8 })).toEqual({ type: 'Rested', data: { hours: 8 } }));

  it('the schema version of an event type is one more than its number of upcasts', () => {
    expect(catalogue.write('Rested', { hours: 8 })).toBe(1);
    expect(catalogue.write('Travelled', { places: ['Rome'], by: 'train' })).toBe(3);
  });

  it.each([
    [1, { town: 'Rome' }, { places: ['Rome'], by: null }],
    [2, { places: ['Rome', 'Ostia'] }, { places: ['Rome', 'Ostia'], by: null }],
    [3, { places: ['Rome'], by: 'train' }, { places: ['Rome'], by: 'train' }],
  ])('data of version %i is read by applying the later upcasts', (schema, stored, read) =>
    expect(catalogue.read('Travelled', stored, schema)).toEqual(read),
  );

  it('an event type has an example of each schema version, oldest first', () => {
    expect(Travelled.examples).toEqual([
      { town: 'Rome' },
      { places: ['Rome', 'Ostia'] },
      { places: ['Rome'], by: 'train' },
    ]);
    expect(Travelled.example).toEqual({ places: ['Rome'], by: 'train' });
  });

  it('stored data is not validated again when it is read', () =>
    expect(catalogue.read('Rested', { hours: 'many' }, 1)).toEqual({ hours: 'many' }));

  it('events are never written in an older schema version', () =>
    expect(() => catalogue.write('Travelled', { town: 'Rome' })).toThrow());
});

describe('Consequences of event types', () => {
  it('event types can be selected by a consequence, such as ending the stream', () => {
    expect(selectTypes([Travelled, Rested], 'endsStream')).toEqual(new Set(['Rested']));
    expect(selectTypes([Travelled, Rested], 'movesLive')).toEqual(new Set(['Travelled']));
    expect(selectTypes([Travelled, Rested], 'isWarning')).toEqual(new Set());
  });
});

describe('The event catalogue', () => {
  it('events of unknown types are not written', () =>
    expect(() => catalogue.write('Dreamt', {})).toThrow("Unknown event type 'Dreamt'."));

  it('data written by a newer version of the product is returned unchanged', () => {
    const data = { of: 'electric sheep' };
    expect(catalogue.read('Dreamt', data, 7)).toBe(data);
    expect(catalogue.read('Rested', { minutes: 480 }, 2)).toEqual({ minutes: 480 });
  });

  it('names of built-in object properties are not event types', () =>
    expect(() => catalogue.write('constructor', {})).toThrow("Unknown event type 'constructor'."));

  it('two event types with the same name are refused', () =>
    expect(() => new Catalogue([Rested, eventType('Rested', z.strictObject({}), { example: {} })])).toThrow(
      'have the same name',
    ));
});
