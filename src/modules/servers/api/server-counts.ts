import { Injectable } from '@nestjs/common';

@Injectable()
export class ServerCounts {
  starts = 0;
  crashes = 0;
  sleeps = 0;
  startMs = 0;

  started(ms: number): void {
    this.starts += 1;
    this.startMs += ms;
  }

  crashed(): void {
    this.crashes += 1;
  }

  slept(): void {
    this.sleeps += 1;
  }
}
