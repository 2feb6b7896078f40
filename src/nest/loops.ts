import type { Type } from '@nestjs/common';
import type { DiscoveryService } from '@nestjs/core';
import { findDeclared } from './declarations.js';
import type { Service } from './lifecycle.js';
import type { ProcessRole } from './roles.js';

/** Background work: it goes on until `signal` aborts. A promise that `start` returns delays the start of the process. */
export type Running = { start(signal: AbortSignal): unknown; stopped?(): Promise<void> };

/** The declaration of background work in a `Feature`. */
export type BackgroundLoop = {
  /** For people, such as `old jobs`. */
  readonly name: string;
  /** It runs in the processes that have this role; in every process without one. */
  readonly role?: ProcessRole;
  readonly run: Type<Running>;
};

/** The loops of one module; `collectLoops` finds those of all modules. */
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

/** Returns the loops of all modules as services. Call it when all providers have been created. */
export const collectLoops = (discovery: DiscoveryService): readonly Service[] =>
  findDeclared(discovery, DeclaredLoops).flatMap(({ services }) => services);
