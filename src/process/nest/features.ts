import type { ModuleMetadata, Provider, Type } from '@nestjs/common';

/** One thing a client can do: its routes, the handlers of its commands, and what these need. */
export type Feature = {
  readonly routes: readonly Type[];
  readonly handlers?: readonly Type[];
  readonly providers?: readonly Provider[];
};

/** Makes a module out of the features it offers, so that the module reads as their list. */
export const features = (...all: readonly Feature[]): ModuleMetadata => ({
  controllers: all.flatMap(({ routes }) => [...routes]),
  providers: all.flatMap(({ handlers = [], providers = [] }) => [...handlers, ...providers]),
});
