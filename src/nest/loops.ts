import type { Type } from '@nestjs/common';
import type { DiscoveryService } from '@nestjs/core';
import { findDeclared } from './declarations.js';
import type { Service } from './lifecycle.js';
import type { ProcessRole } from './roles.js';

/**
 * Background work that runs until `signal` aborts. If `start` returns a promise, the process continues to start only
 * after the promise has resolved.
 */
export type Running = { start(signal: AbortSignal): unknown; stopped?(): Promise<void> };

export type BackgroundLoop = {
  /** Readable name, such as `old jobs`. */
  readonly name: string;
  /** Role of the processes in which the loop runs. By default, it runs in every process. */
  readonly role?: ProcessRole;
  readonly run: Type<Running>;
};

/** The loops of one module. `collectLoops` collects those of all modules. */
export class DeclaredLoops {
  readonly services: readonly Service[];

  constructor(loops: readonly BackgroundLoop[], running: readonly Running[]) {
    this.services = loops.flatMap(({ name, role }, at) => {
      const loop = running[at];
      if (!loop) return [];
      return {
        name,
        ...(role && { roles: [role] }),
        start: async (signal: AbortSignal) => void (await loop.start(signal)),
        stop: async () => loop.stopped?.(),
      };
    });
  }
}

/** Returns the loops of all modules. Call this after all providers have been created. */
export const collectLoops = (discovery: DiscoveryService): readonly Service[] =>
  findDeclared(discovery, DeclaredLoops).flatMap(({ services }) => services);
