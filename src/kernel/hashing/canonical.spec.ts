import { describe, expect, it } from '@jest/globals';
import canonicalize from 'canonicalize';
import { canonical } from './canonical.js';

/** Decodes a double from its bits, as listed in RFC 8785. */
const double = (bits: string) => Buffer.from(bits, 'hex').readDoubleBE(0);

describe('The canonical form of a JSON value', () => {
  // Cases from RFC 8785, appendix B.
  it.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('writes the double %s as %s', (bits, text) => {
    expect(canonical(double(bits))).toBe(text);
  });

  it('orders keys by UTF-16 code units at every depth', () => {
    // The example in RFC 8785, section 3.2.3.
    const value = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\ud83d\ude00': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    };
    const ordered = ['\r', '1', '\u0080', '\u00f6', '\u20ac', '\ud83d\ude00', '\ufb33'];
    const text = canonical([{ nested: value }]);
    const places = ordered.map((key) => text.indexOf(`${JSON.stringify(key)}:`));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
  });

  it('matches the example in RFC 8785 for strings and literals', () => {
    // The examples in RFC 8785, sections 3.2.2 to 3.2.4.
    const value = {
      numbers: [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '\u20ac$\u000f\u000aA\'\u0042\u0022\u005c\\"/',
      literals: [null, true, false],
    };
    expect(canonical(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it.each([
    [{ b: [{ d: 1, c: 2 }], a: { z: null, y: [] } }],
    [{ '': 0, ' ': 1, a: {}, A: [[], [[]]] }],
    [{ '10': 1, '9': 2, '-1': 3, '1e3': 4 }],
    ['\u0000\u001f"\\\u007f\u2028\u2029👩‍👩‍👧‍👦'],
    [{ __proto__: null, constructor: 1, toString: 2 }],
    [{ ['__proto__']: 1, a: 2 }],
    [Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`k${(n * 7) % 40}`, n]))],
    [[1e21, 1e-7, -0, 0.1 + 0.2, Number.MAX_SAFE_INTEGER, Number.MIN_VALUE]],
  ])('agrees with another implementation of RFC 8785: %j', (value) => {
    expect(canonical(value)).toBe(canonicalize(value));
  });

  it('agrees with another implementation of RFC 8785 for random values of every kind and depth', () => {
    for (let seed = 1; seed <= 300; seed++) {
      const value = anyValue(generator(seed), 5);
      expect(canonical(value)).toBe(canonicalize(value));
    }
  });

  it('omits undefined members, as JSON does', () => {
    expect(canonical({ a: undefined, b: 1, c: undefined })).toBe('{"b":1}');
  });

  it('the canonical form is the same for all values that serialize to the same JSON', () => {
    expect(canonical({ a: 1, b: -0 })).toBe(canonical(JSON.parse('{"b":0,"a":1.0}')));
  });

  it.each([
    [Number.NaN],
    [Number.POSITIVE_INFINITY],
    ['\ud800'],
    [{ '\udc00': 1 }],
    [10n],
    [() => 1],
    [[undefined]],
    [Symbol('a')],
    [{ deep: [{ in: '\ude00' }] }],
  ])('values that JSON cannot represent have no canonical form', (value) => {
    expect(() => canonical(value)).toThrow(TypeError);
  });
});

/** Returns a linear congruential generator (Numerical Recipes). The same seed gives the same numbers in every run. */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function anyValue(pick: (below: number) => number, depth: number): unknown {
  const text = () =>
    String.fromCodePoint(
      ...Array.from({ length: pick(5) }, () => [pick(128), 0xe000 + pick(512), 0x1f600 + pick(64)][pick(3)]!),
    );
  const number = () => (pick(2) ? pick(2 ** 31) : (pick(2 ** 31) - 2 ** 30) * 10 ** (pick(60) - 30));
  const several = <Value>(make: () => Value) => Array.from({ length: pick(5) }, make);
  switch (pick(depth > 0 ? 6 : 4)) {
    case 0:
      return [null, true, false][pick(3)];
    case 1:
      return number();
    case 2:
    case 3:
      return text();
    case 4:
      return several(() => anyValue(pick, depth - 1));
    default:
      return Object.fromEntries(several(() => [text(), anyValue(pick, depth - 1)]));
  }
}
