export type DeployOptions = {
  readonly site?: string;
  readonly create?: boolean;
  readonly message?: string;
  readonly draft?: boolean;
  readonly merge?: boolean;
  readonly expires?: string;
  readonly ifMatch?: string;
  readonly dryRun?: boolean;
  readonly anonymous?: boolean;
  readonly open?: boolean;
  readonly verify?: boolean;
  readonly link: boolean;
};
