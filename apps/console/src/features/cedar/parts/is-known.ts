/** Whether the service says it: another's may say neither a version nor that there is none. */
export const isKnown = (version: object | null | undefined): boolean => version !== undefined
