import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { Session } from '../../../accounts/people/sessions.js';
import { LiveSessions } from './live-sessions.js';

const session = (sessionId: string): Session => ({
  sessionId,
  userId: 'usr_ann',
  createdAt: '',
  lastUsedAt: '',
  expiresAt: '',
  client: null,
  purpose: 'browser',
});

class StoredSessions {
  live = [session('one')];
  isAway = false;
  lookups = 0;

  async of() {
    this.lookups++;
    if (this.isAway) throw new Error('away');
    return this.live;
  }
}

describe('LiveSessions', () => {
  it('shares one lookup between concurrent requests', async () => {
    const stored = new StoredSessions();
    const sessions = new LiveSessions(stored);
    const answers = await Promise.all(Array.from({ length: 20 }, () => sessions.isLive('usr_ann', 'one')));
    expect([new Set(answers), stored.lookups]).toEqual([new Set([true]), 1]);
  });

  it('keeps the results of different sessions apart', async () => {
    const sessions = new LiveSessions(new StoredSessions());
    expect([await sessions.isLive('usr_ann', 'one'), await sessions.isLive('usr_ann', 'two')]).toEqual([true, false]);
  });

  it('looks a session up again after a second', async () => {
    const stored = new StoredSessions();
    const sessions = new LiveSessions(stored);
    await sessions.isLive('usr_ann', 'one');
    stored.live = [];
    await delay(1_050);
    expect(await sessions.isLive('usr_ann', 'one')).toBe(false);
  });

  it('repeats a failed lookup at the next call', async () => {
    const stored = new StoredSessions();
    const sessions = new LiveSessions(stored);
    stored.isAway = true;
    await expect(sessions.isLive('usr_ann', 'one')).rejects.toThrow('away');
    stored.isAway = false;
    expect(await sessions.isLive('usr_ann', 'one')).toBe(true);
  });
});
