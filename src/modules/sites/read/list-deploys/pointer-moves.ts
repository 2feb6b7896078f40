import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, LessThanOrEqual, MoreThan, type Repository } from 'typeorm';
import { selectTypes } from '../../../../events/event-type.js';
import { siteEvents } from '../../../../events/site/site.events.js';
import { HistoryRow } from '../../../../projections/models/history.projection.js';

/** An interval in which a deploy was live: `liveFrom ≤ t < liveUntil`, null while it still is. */
export type TimeLive = { readonly deployId: string; readonly liveFrom: Date; readonly liveUntil: Date | null };

const MOVES = In([...selectTypes(siteEvents, 'movesLive')]);

/**
 * History of a site’s pointer to its live deploy. The rows of deploys contain only the latest time at which each was
 * live.
 */
@Injectable()
export class PointerMoves {
  constructor(@InjectRepository(HistoryRow) private readonly entries: Repository<HistoryRow>) {}

  /**
   * Returns the deploy that was live at that time; null before the first one. Clocks of servers may differ, so a move
   * can have an earlier time than the move before it. If several cover the same time, the one recorded last counts.
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
