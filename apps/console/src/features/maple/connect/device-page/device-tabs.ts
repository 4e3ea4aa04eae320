/** The parts of a device's page: what it says and does, what it sent, what lets it in, what happened. */
export const deviceTabs = ['overview', 'messages', 'security', 'history'] as const
export type DeviceTab = (typeof deviceTabs)[number]

/** The part that an address names; the overview goes without a name. */
export const deviceTabSearch = (search: Record<string, unknown>): { tab?: DeviceTab } => {
  const tab = deviceTabs.slice(1).find((each) => each === search['tab'])
  return tab ? { tab } : {}
}
