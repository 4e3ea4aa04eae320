/** One file of events holds at most this many. */
export const maxExportedEvents = 100_000
