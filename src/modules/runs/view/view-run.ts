import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type LogLine, logLine } from '../../../edge/browser/log-line.js';
import { html, joined } from '../../../edge/browser/markup.js';
import { after, hasRunEnded, runLine, stateLine, unheard } from '../../../edge/browser/run-view.js';
import { Route } from '../../../edge/http/api/route-options.js';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { Context } from '../../../edge/http/auth/context.js';
import { renderFollowedLog } from '../../../edge/http/pages/log-page.js';
import { sendPage } from '../../../edge/http/pages/web-page.js';
import { LiveStreamServer } from '../../../edge/live/live-streams.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import type { Feature } from '../../../nest/features.js';
import { MAX_RUN_EVENTS } from '../record/record.decide.js';
import { RunLiveStreams } from '../watch/run-live-streams.js';

/** Maximum length of the log that the page of a run shows when it is loaded. */
const MAX_CHARACTERS = 512 * 1_024;

/** Serves the page of a run to any visitor who has the run ID. */
@ApiExcludeController()
@Controller('runs/:runId')
class ViewRunController {
  constructor(
    private readonly runs: RunLiveStreams,
    private readonly live: LiveStreamServer,
    private readonly urls: ServiceUrls,
  ) {}

  @Route({ page: 'live', problemPages: true })
  @Get()
  async page(
    @Param('runId') runId: string,
    @Context() { caller }: CommandContext,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    const { items } = await this.live.page(this.runs.of(runId, caller), 0, MAX_RUN_EVENTS);
    const { siteDomain, baseUrl } = this.urls;
    const run = items.reduce((before, told) => after(before, told, siteDomain), unheard);
    const lines = newest(items.map(runLine));
    const page = renderFollowedLog({
      title: 'Command-line run',
      script: 'run',
      state: stateLine(run),
      controls: null,
      about: html`<section id="run" data-run="${JSON.stringify(run)}" data-events="/v1/cli/runs/${runId}/events" data-domain="${siteDomain}"></section>`,
      before: items.length - lines.length,
      log: joined(lines.map(logLine)),
      step: '',
      isOver: hasRunEnded(run),
    });
    return sendPage(request, reply, baseUrl, page);
  }
}

/** Returns the latest lines of the log that fit on the page. */
function newest(lines: readonly LogLine[]): readonly LogLine[] {
  let room = MAX_CHARACTERS;
  const tooMany = lines.findLastIndex(({ text }) => {
    room -= text.length;
    return room < 0;
  });
  return lines.slice(tooMany + 1);
}

export const viewRun: Feature = { routes: [ViewRunController] };
