/** The tabs of a device's page. */
export const deviceTabs = ['overview', 'messages', 'security', 'history'] as const
export type DeviceTab = (typeof deviceTabs)[number]

/** The tab that a URL names; the overview needs no name. */
export const deviceTabSearch = (search: Record<string, unknown>): { tab?: DeviceTab } => {
  const tab = deviceTabs.slice(1).find((each) => each === search['tab'])
  return tab ? { tab } : {}
}
