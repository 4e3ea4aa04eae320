/** Maximum number of events in one file. */
export const maxExportedEvents = 100_000
