import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, LessThanOrEqual, MoreThan, type Repository } from 'typeorm';
import { selectTypes } from '../../../../events/event-type.js';
import { siteEvents } from '../../../../events/site/site.events.js';
import { HistoryRow } from '../../../../projections/models/history.projection.js';

/** A deploy was live at each time `t` with `liveFrom ≤ t < liveUntil`. `liveUntil` is null while it is live. */
export type TimeLive = { readonly deployId: string; readonly liveFrom: Date; readonly liveUntil: Date | null };

const MOVES = In([...selectTypes(siteEvents, 'movesLive')]);

/** History of a site's live deploys. The rows of deploys contain only the latest time at which each one became live. */
@Injectable()
export class PointerMoves {
  constructor(@InjectRepository(HistoryRow) private readonly entries: Repository<HistoryRow>) {}

  /**
   * Returns the deploy that was live at that time, or null before the first deploy. Server clocks may differ, so a
   * change can have an earlier time than the previous change. If several deploys cover the same time, the one recorded
   * last is returned.
   */
  async at(siteId: string, time: Date): Promise<TimeLive | null> {
    const move = await this.entries.findOne({
      where: { siteId, type: MOVES, at: LessThanOrEqual(time) },
      order: { revision: 'desc' },
    });
    if (!move) return null;
    const next = await this.entries.findOne({
      where: { siteId, type: MOVES, revision: MoreThan(move.revision) },
      order: { revision: 'asc' },
    });
    const { deployId }: { deployId: string } = JSON.parse(move.data);
    return { deployId, liveFrom: move.at, liveUntil: next?.at ?? null };
  }
}
