const stagePages =
  /^\/dashboard\/maple\/(cloud_handlers|templates|scripts|products|applets|software_cards|rollouts|readers|binary_images|device_handlers|sessions\/(device|se))(\/|$)/

/** Whether a page has the selector of the provider to work with (spec §2). */
export const isStagePage = (path: string): boolean => stagePages.test(path)

/**
 * Whether a page works with that provider; the page of one's own devices does so without the
 * selector.
 */
export const worksInStage = (path: string): boolean =>
  isStagePage(path) || /^\/dashboard\/iot(\/|$)/.test(path)
