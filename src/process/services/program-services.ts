import { Inject, Injectable } from '@nestjs/common';
import { LogWriter } from '../../modules/servers/output/log-writer.js';
import { RelayListener } from '../../modules/servers/relay/relay-listener.js';
import { LivePrograms } from '../../modules/servers/supervise/live-programs.js';
import { Supervisor } from '../../modules/servers/supervise/supervisor.js';
import { type Service } from '../../nest/lifecycle.js';
import { IsolatedPrograms } from '../../sandbox/programs/isolated-programs.js';
import { ProcessContext } from '../context.js';
import { Engines } from '../engines.js';

/** The programs of sites. */
@Injectable()
export class ProgramServices {
  constructor(
    @Inject(ProcessContext) private readonly context: ProcessContext,
    @Inject(Engines) private readonly engines: Engines,
    @Inject(LogWriter) private readonly log: LogWriter,
    @Inject(RelayListener) private readonly relay: RelayListener,
    @Inject(Supervisor) private readonly supervisor: Supervisor,
    @Inject(LivePrograms) private readonly livePrograms: LivePrograms,
  ) {}

  list(): Service[] {
    const { programs } = this.engines;
    if (!(programs instanceof IsolatedPrograms)) return [];
    const { host, hasPeers } = this.context.settings.servers;
    return [
      {
        name: 'server log writer',
        start: async (signal) => this.log.start(signal),
        stop: () => this.log.stopped(),
      },
      {
        name: 'site servers',
        start: async (signal) => {
          // Without peers, no other process is there to reach it.
          await this.supervisor.start(hasPeers ? await this.relay.listen(host) : null, signal);
        },
        stop: async () => {
          await this.relay.close();
          await this.supervisor.stopped();
          await programs.close();
        },
      },
      {
        name: 'live servers',
        start: (signal) => this.livePrograms.start(signal),
        stop: () => this.livePrograms.stopped(),
      },
      { name: 'leftover servers', start: async (signal) => void programs.sweepRegularly(signal) },
    ];
  }
}
