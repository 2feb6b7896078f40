import Bowser from 'bowser';
import { isbot } from 'isbot';
import { LRUCache } from 'lru-cache';
import { harmless } from '../harmless.js';

export type ClientProperties = {
  readonly kind: 'person' | 'robot' | 'probe';
  readonly browser: string | null;
  readonly system: string | null;
  readonly device: string | null;
};

const REMEMBERED = 2_000;

const MAX_CHARACTERS = 40;

const ROBOT: ClientProperties = { kind: 'robot', browser: null, system: null, device: null };
const PROBE: ClientProperties = { ...ROBOT, kind: 'probe' };

/** Classifies clients by their user agent. Caches the results for recent ones, because parsing takes 20 µs. */
export class ClientClassifier {
  readonly #known = new LRUCache<string, ClientProperties>({ max: REMEMBERED });

  of(userAgent: string): ClientProperties {
    if (userAgent === '') return ROBOT;
    const known = this.#known.get(userAgent);
    if (known) return known;
    const program = programOf(userAgent);
    this.#known.set(Buffer.from(userAgent).toString(), program);
    return program;
  }
}

function programOf(userAgent: string): ClientProperties {
  if (userAgent.startsWith('Stele-Probe/')) return PROBE;
  if (userAgent.trim() === '' || isbot(userAgent)) return ROBOT;
  const { browser, os, platform } = Bowser.parse(userAgent);
  return { kind: 'person', browser: named(browser.name), system: named(os.name), device: named(platform.type) };
}

const named = (name: string | undefined) => (name ? harmless(name, MAX_CHARACTERS) : null);
