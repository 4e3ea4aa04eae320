const stagePages =
  /^\/dashboard\/maple\/(cloud_handlers|templates|scripts|products|applets|software_cards|rollouts|readers|binary_images|device_handlers|sessions\/(device|se))(\/|$)/

/** Whether a page works with the provider that the header's selector chooses (spec §2). */
export const isStagePage = (path: string): boolean => stagePages.test(path)
