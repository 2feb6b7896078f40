import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, LessThanOrEqual, MoreThan, type Repository } from 'typeorm';
import { typesWith } from '../../../../events/event-type.js';
import { siteEvents } from '../../../../events/site/site.events.js';
import { HistoryRow } from '../../../../projections/models/history.projection.js';

/** One of the times that a deploy was live: `liveFrom ≤ t < liveUntil`, null while it still is. */
export type TimeLive = { readonly deployId: string; readonly liveFrom: Date; readonly liveUntil: Date | null };

const MOVES = In([...typesWith(siteEvents, 'movesLive')]);

/** Where a site’s pointer to its live deploy has been. The rows of deploys know only the latest time each was live. */
@Injectable()
export class PointerMoves {
  constructor(@InjectRepository(HistoryRow) private readonly entries: Repository<HistoryRow>) {}

  /**
   * What was live at that time; null before the first deploy. Clocks of different servers may differ, so that a move
   * can bear an earlier time than the one it followed: of moves that claim the same time the last recorded is right.
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
