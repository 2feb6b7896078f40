import type { Output } from '../output/output.js';
import { ProgressBar } from '../output/progress-bar.js';
import { formatBytes } from '../output/quantities.js';
import type { RunReport } from './run-report.js';

/** Shows how much of a deploy has been sent: as a bar in a terminal, and on the page of the run. */
export class SendingProgress {
  readonly #output: Output;
  readonly #report: RunReport;
  #bar: ProgressBar | undefined;
  #sent = 0;
  #total = 0;

  constructor(output: Output, report: RunReport) {
    this.#output = output;
    this.#report = report;
  }

  start(total: number): void {
    this.#total = total;
    if (this.#output.isLive) this.#bar = new ProgressBar(total);
  }

  /** Adds to the number of bytes sent. `bytes` is negative if some bytes have to be sent again. */
  advance(bytes: number): void {
    this.#sent += bytes;
    this.#bar?.advance(bytes);
    this.#report.progress(`${formatBytes(this.#sent)} of ${formatBytes(this.#total)} sent`);
  }

  end(): void {
    this.#bar?.end();
  }
}
