import { describe, expect, it } from '@jest/globals';
import type { LatestResult } from '../probes/probe-results.js';
import { formatHeadline } from '../show/status-texts.js';
import { buildStatusSnapshot } from './status-snapshot.js';

const now = new Date('2026-11-20T12:00:00.000Z');
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1_000);
const result = (component: string, isWell: boolean, at = ago(30)): LatestResult => ({
  ...{ component, isWell, at, since: ago(300), ms: 5 },
  reason: isWell ? null : 'answered 503',
});
const snapshot = (latest: readonly LatestResult[], own: readonly LatestResult[] = []) =>
  buildStatusSnapshot(
    { days: [], latest, incidents: [], readAt: ago(5) },
    new Map(own.map((each) => [each.component, each])),
    true,
    now,
  );
const states = (latest: readonly LatestResult[], own: readonly LatestResult[] = []) =>
  snapshot(latest, own).parts.map(({ name, status }) => `${name} ${status}`);

describe('The status of the service', () => {
  it('the service’s status is unknown before the first probe', () =>
    expect(buildStatusSnapshot(null, new Map(), true, now)).toMatchObject({ status: 'unknown', parts: [] }));

  it('the service is operational if every probed component is operational', () => {
    expect(snapshot([result('publish', true), result('serve', true)])).toMatchObject({ status: 'well' });
    expect(states([result('serve', true), result('publish', true)])).toEqual(['publish well', 'serve well']);
  });

  it('the service is failing if one component is failing, even if another is unknown', () =>
    expect(snapshot([result('publish', false), result('serve', true, ago(600))]).status).toBe('failing'));

  it('a component’s status is unknown if it has not been probed for several minutes', () => {
    expect(snapshot([result('publish', true, ago(600))]).parts[0]).toMatchObject({ status: 'unknown', since: null });
    expect(snapshot([result('publish', true), result('serve', false, ago(600))]).status).toBe('unknown');
  });

  it('the service’s status uses results of this process if they are newer than the recorded results', () => {
    expect(states([result('publish', true, ago(60))], [result('publish', false, ago(10))])).toEqual([
      'publish failing',
    ]);
    expect(states([result('publish', true, ago(10))], [result('publish', false, ago(60))])).toEqual(['publish well']);
  });

  it('the service’s status is summarized by a short headline', () => {
    const said = (...latest: LatestResult[]) => formatHeadline(snapshot(latest));
    const [publish, serve, mail] = [result('publish', false), result('serve', false), result('mail', false)];
    expect(said(result('serve', true))).toBe('All systems are operational');
    expect(said(publish)).toBe('Failing: Publishing');
    expect(said(serve, publish)).toBe('Failing: Publishing and Sites');
    expect(said(serve, publish, mail)).toBe('3 components are failing');
    expect(said()).toBe('The status of some components is unknown');
  });
});
