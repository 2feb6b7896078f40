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

describe('assertBuilder', () => {
  it('refuses a plan if its builder is not installed, and says what to install', async () => {
    expect(await whyNotBuilt(here, { kind: 'static_build' })).toBe('On Debian: apt-get install bubblewrap');
    await expect(assertBuilder(here, { kind: 'static_build' })).rejects.toThrow(refused('builder_unavailable'));
  });

  it('requires a container engine for a Dockerfile', () =>
    expect(whyNotBuilt(here, { kind: 'container' })).resolves.toBe('On Debian: apt-get install podman'));

  it('accepts every plan in a process that never builds, because the job checks it later', () =>
    expect(assertBuilder(elsewhere, { kind: 'static_build' })).resolves.toBeUndefined());

  it('requires no builder for plain pages', () =>
    expect(assertBuilder(here, { kind: 'static' })).resolves.toBeUndefined());
});
