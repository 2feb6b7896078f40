import { type Captures, examplePath, type PathPattern, type Segment } from './path-pattern.js';

/**
 * A request’s path, split once and then matched against many patterns. A trailing slash only affects the text that `*`
 * matches.
 */
export class RequestPath {
  readonly #path: string;
  readonly #segments: readonly string[];
  /** The offset in the path at which each segment begins. */
  readonly #begins: readonly number[];
  readonly bare: string;

  /** `path` is decoded and relative to the site, without a leading slash. */
  constructor(path: string) {
    this.#path = path;
    this.bare = path.endsWith('/') ? path.slice(0, -1) : path;
    this.#segments = this.bare === '' ? [] : this.bare.split('/');
    let begin = 0;
    this.#begins = this.#segments.map((segment) => {
      const here = begin;
      begin += segment.length + 1;
      return here;
    });
  }

  /**
   * Returns the text that each placeholder matched, or null if the path does not match. Takes at most one step per
   * segment, and compares no more characters than the pattern has. Therefore, no configuration file can make matching
   * slow (decision 0021).
   */
  match({ head, splat, tail }: PathPattern): Captures | null {
    const segments = this.#segments;
    const fixed = head.length + tail.length;
    if (splat === null ? segments.length !== fixed : segments.length < fixed) return null;
    const tailFrom = segments.length - tail.length;
    if (!this.#matches(head, 0) || !this.#matches(tail, tailFrom)) return null;

    let stood: string | null = null;
    if (splat) {
      const rest = this.#between(head.length, tailFrom, tail.length === 0 && splat.after === '');
      const { before, after } = splat;
      if (rest.length < before.length + after.length || !rest.startsWith(before) || !rest.endsWith(after)) return null;
      stood = rest.slice(before.length, rest.length - after.length);
    }
    return Object.fromEntries([
      ...this.#captured(head, 0),
      ...this.#captured(tail, tailFrom),
      ...(stood === null ? [] : [['splat', stood] as const]),
    ]);
  }

  /** Returns the requested segments, including the path’s trailing slash if `toEnd` is true. */
  #between(from: number, to: number, toEnd: boolean): string {
    const begin = this.#begins[from];
    if (begin === undefined || from === to) return '';
    const next = this.#begins[to];
    return this.#path.slice(begin, next === undefined ? (toEnd ? undefined : this.bare.length) : next - 1);
  }

  #matches(pattern: readonly Segment[], from: number): boolean {
    for (let n = 0; n < pattern.length; n++) {
      const wanted = pattern[n];
      const segment = this.#segments[from + n];
      if (wanted === undefined || segment === undefined) return false;
      if (typeof wanted === 'string') {
        if (wanted !== segment) return false;
      } else {
        const { before, after } = wanted;
        if (segment.length <= before.length + after.length) return false;
        if (!segment.startsWith(before) || !segment.endsWith(after)) return false;
      }
    }
    return true;
  }

  #captured(pattern: readonly Segment[], from: number): (readonly [string, string])[] {
    return pattern.flatMap((wanted, n) => {
      if (typeof wanted === 'string') return [];
      const segment = this.#segments[from + n] ?? '';
      return [[wanted.name, segment.slice(wanted.before.length, segment.length - wanted.after.length)] as const];
    });
  }
}

/** Reports whether `outer` matches every path that `inner` matches. */
export const isWithin = (inner: PathPattern, outer: PathPattern): boolean =>
  new RequestPath(examplePath(inner)).match(outer) !== null;
