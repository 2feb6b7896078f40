export const reasonToLeaveOut: (file: string, name: string) => string | undefined;
export const wantsItsOwn: (file: string) => boolean;
