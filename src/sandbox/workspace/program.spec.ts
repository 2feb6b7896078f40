import { expect, it } from '@jest/globals';
import { succeeds } from './program.js';

it('a program runs in its own process group, so that Ctrl-C in a terminal does not end it', async () => {
  // The fifth field is the process group (proc(5)).
  const script = 'read -r pid _ _ _ group _ < /proc/self/stat; test "$group" = $$';
  expect(await succeeds('sh', ['-c', script])).toBe(true);
});
