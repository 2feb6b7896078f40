/** How far a rebuild is. */
export type Progress = {
  readonly models: readonly string[];
  readonly phase: 'reading' | 'indexing' | 'swapping' | 'comparing';
  readonly position: bigint;
  readonly last: bigint;
  readonly events: number;
};

export type Tell = (progress: Progress) => void;
