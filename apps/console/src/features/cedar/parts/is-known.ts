/** Whether the service says: a third-party one may neither name a version nor say there is none. */
export const isKnown = (version: object | null | undefined): boolean => version !== undefined
