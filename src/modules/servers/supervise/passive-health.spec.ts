import { describe, expect, it } from '@jest/globals';
import { PassiveHealth } from './passive-health.js';

describe('PassiveHealth', () => {
  const counted = () => {
    let doubts = 0;
    const uses = new PassiveHealth(() => {
      doubts += 1;
    });
    uses.answered();
    return { uses, doubts: () => doubts };
  };

  it('counts a request as finished only once, however often it is released', async () => {
    const { uses } = counted();
    const [one, other] = [uses.begin(), uses.begin()];
    one.release('answered');
    one.release('answered');
    expect(uses.count).toBe(1);
    let isOver = false;
    const over = uses.over(60_000).then(() => {
      isOver = true;
    });
    await null;
    expect(isOver).toBe(false);
    other.release('answered');
    await over;
    await uses.over(60_000);
  });

  it('does not count a WebSocket without traffic as a use of the server', async () => {
    const { uses } = counted();
    const use = uses.begin();
    use.setSilent(true);
    use.setSilent(true);
    expect(uses.count).toBe(0);
    await uses.over(60_000);
    use.setSilent(false);
    expect(uses.count).toBe(1);
    use.setSilent(true);
    use.release('answered');
    use.setSilent(false);
    expect(uses.count).toBe(0);
  });

  it('requests a health check after five consecutive failures, unless a request succeeds in between', () => {
    const { uses, doubts } = counted();
    for (let n = 0; n < 4; n++) uses.begin().release('failed');
    uses.begin().release('answered');
    for (let n = 0; n < 4; n++) uses.failed();
    expect(doubts()).toBe(0);
    uses.failed();
    expect(doubts()).toBe(1);
    uses.doubted();
    uses.failed();
    expect(doubts()).toBe(1);
  });
});
