import { describe, expect, it } from '@jest/globals';
import { findCycle, listAbstractions, listModuleImports, listUnusedFeatures } from '../../tools/structure/structure.js';

/**
 * Abstract classes that have fewer than two implementations according to the compiler, and the reason. Before you add
 * to this list, import the concrete class from its module's `api` folder, or remove another abstract class
 * (docs/decisions/0155).
 */
const EXPECTED: Readonly<Record<string, string>> = {
  ClaimedSiteJobs: 'the module sites imports no other module',
  DiskSpace: 'the file system',
  DomainChecker: 'DNS',
  Ids: 'randomness, which the kernel does not have',
  ReadModelWaiter: 'used by edge/http, which imports no projections',
  RepoCopy: 'git; tests have one in memory',
  Repositories: 'git',
  Sandbox: 'opened by each of several builders',
  ServerStateLookup: 'the module sites imports no other module',
  SocketAuthenticator: 'used by edge/live, which does not import edge/http',
  TokenIssuers: 'identity providers of CI systems',
  WakeUps: 'other processes',
};

describe('The structure of src', () => {
  it('each abstract class has at least two implementations, except for the listed classes', () => {
    const single = listAbstractions(process.cwd()).filter(({ implementations }) => implementations.length < 2);
    expect(single.map(({ name }) => name).sort()).toEqual(Object.keys(EXPECTED));
  }, 120_000);

  it('modules do not import each other in a cycle', () => {
    expect(findCycle(listModuleImports(process.cwd()))).toEqual([]);
  });

  it('the module `sites` imports no other module', () => {
    expect([...(listModuleImports(process.cwd()).get('sites') ?? [])]).toEqual([]);
  });

  it('each feature of a module is listed in that module', () => {
    expect(listUnusedFeatures(process.cwd())).toEqual([]);
  });

  it('findCycle() returns the modules of a cycle in order', () => {
    const imports = new Map([
      ['a', new Set(['b'])],
      ['b', new Set(['c', 'd'])],
      ['c', new Set<string>()],
      ['d', new Set(['b'])],
    ]);
    expect(findCycle(imports)).toEqual(['b', 'd', 'b']);
  });
});
