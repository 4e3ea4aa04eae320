/** One file of events holds at most this many. */
export const mostExportedEvents = 100_000
