// needs: database

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Checkout } from '../support/service/checkout.js';
import { temporaryFolder } from '../support/service/stele.js';

describe('The dependencies of a checkout', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let checkout: Checkout;
  const installed = async () => [await checkout.read('running/index.js'), await checkout.read('testing/index.js')];

  beforeEach(async () => {
    temporary = await temporaryFolder('checkout');
    checkout = await Checkout.in(temporary.folder);
  }, 30_000);
  afterEach(() => temporary.remove());

  it('are installed for running at the first start and for tests at the first test, with the same lock file', async () => {
    const lock = await checkout.lock();
    await checkout.setUp();
    expect(await installed()).toEqual(['for running', null]);
    await checkout.setUp('--tests');
    expect(await installed()).toEqual(['for running', 'for tests']);
    expect(await checkout.setUp()).toBe('');
    expect(await checkout.setUp('--tests')).toBe('');
    expect(await checkout.lock()).toBe(lock);
  }, 60_000);

  it('are complete after an install for tests was killed, and the service can run meanwhile', async () => {
    await checkout.setUp();
    await checkout.killSetUp('--tests');
    await checkout.lose('testing/index.js');
    expect(await checkout.setUp()).toBe('');
    expect(await installed()).toEqual(['for running', null]);
    await checkout.setUp('--tests');
    expect(await installed()).toEqual(['for running', 'for tests']);
  }, 60_000);

  it('are complete after the first install was killed', async () => {
    await checkout.killSetUp('--tests');
    await checkout.lose('running/index.js');
    await checkout.setUp();
    expect(await installed()).toEqual(['for running', null]);
  }, 60_000);
});
