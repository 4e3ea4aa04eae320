/** Whether work is still to be done, or being done. */
export const isUnderWay = (state: string): boolean => state === 'queued' || state === 'running'
