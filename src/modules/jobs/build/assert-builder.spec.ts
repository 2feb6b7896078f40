import { describe, expect, it } from '@jest/globals';
import { refused } from '../../../../test/support/sites/commit-in-memory.js';
import { NoImageBuilder } from '../../../sandbox/images/no-image-builder.js';
import { NoBuilder } from '../../../sandbox/no-builder.js';
import { assertBuilder, whyNotBuilt } from './assert-builder.js';

const here = {
  builder: new NoBuilder('On Debian: apt-get install bubblewrap'),
  imageBuilder: new NoImageBuilder('On Debian: apt-get install podman'),
};
const elsewhere = {
  builder: new NoBuilder('Another process builds.', true),
  imageBuilder: new NoImageBuilder('Another process builds.', true),
};

describe('A plan that nothing builds', () => {
  it('is refused where builds would run, with what to install', async () => {
    expect(await whyNotBuilt(here, { kind: 'static_build' })).toBe('On Debian: apt-get install bubblewrap');
    await expect(assertBuilder(here, { kind: 'static_build' })).rejects.toThrow(refused('builder_unavailable'));
  });

  it('needs a container engine where it is a Dockerfile, whatever builds the others', () =>
    expect(whyNotBuilt(here, { kind: 'container' })).resolves.toBe('On Debian: apt-get install podman'));

  it('is left to the job by a process that never builds: it knows nothing of those that do', () =>
    expect(assertBuilder(elsewhere, { kind: 'static_build' })).resolves.toBeUndefined());

  it('is no matter of plain pages', () => expect(assertBuilder(here, { kind: 'static' })).resolves.toBeUndefined());
});
