// needs: database

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Checkout } from '../support/service/checkout.js';
import { temporaryFolder } from '../support/service/stele.js';

describe('Installing dependencies in a checkout', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let checkout: Checkout;
  const installed = async () => [await checkout.read('running/index.js'), await checkout.read('testing/index.js')];

  beforeEach(async () => {
    temporary = await temporaryFolder('checkout');
    checkout = await Checkout.in(temporary.folder);
  }, 120_000);
  afterEach(() => temporary.remove());

  it('runtime dependencies are installed at the first start, and test dependencies at the first test run', async () => {
    const lock = await checkout.lock();
    await checkout.setUp();
    expect(await installed()).toEqual(['for running', null]);
    await checkout.setUp('--tests');
    expect(await installed()).toEqual(['for running', 'for tests']);
    expect(await checkout.setUp()).toBe('');
    expect(await checkout.setUp('--tests')).toBe('');
    expect(await checkout.lock()).toBe(lock);
  }, 180_000);

  it('if installing the test dependencies is killed, the service still starts, and the next install is complete', async () => {
    await checkout.setUp();
    await checkout.killSetUp('--tests');
    await checkout.lose('testing/index.js');
    expect(await checkout.setUp()).toBe('');
    expect(await installed()).toEqual(['for running', null]);
    await checkout.setUp('--tests');
    expect(await installed()).toEqual(['for running', 'for tests']);
  }, 180_000);

  it('if the first install is killed, the next install is complete', async () => {
    await checkout.killSetUp('--tests');
    await checkout.lose('running/index.js');
    await checkout.setUp();
    expect(await installed()).toEqual(['for running', null]);
  }, 180_000);
});
