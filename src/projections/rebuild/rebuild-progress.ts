export type RebuildProgress = {
  readonly models: readonly string[];
  readonly phase: 'reading' | 'indexing' | 'swapping' | 'comparing';
  readonly position: bigint;
  readonly last: bigint;
  readonly events: number;
};

export type ReportProgress = (progress: RebuildProgress) => void;
