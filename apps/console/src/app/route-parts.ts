/**
 * The chunks of routes (`routes-of/`), by the URL prefix that needs them. Of those that match, a URL
 * needs the first, which is the frame, and the last.
 */
export const routeParts = {
  '/dashboard': 'dashboard',
  '/dashboard/cedar': 'cedar',
  '/dashboard/cedar/account': 'account',
  '/dashboard/cedar/mobile/': 'product',
  '/dashboard/iot': 'maple',
  '/dashboard/maple': 'maple',
  '/dashboard/maple/applets': 'stage',
  '/dashboard/maple/approvals': 'stage',
  '/dashboard/maple/binary_images': 'stage',
  '/dashboard/maple/cloud_handlers': 'stage',
  '/dashboard/maple/device_handlers': 'stage',
  '/dashboard/maple/keys': 'stage',
  '/dashboard/maple/products': 'stage',
  '/dashboard/maple/providers/': 'stage',
  '/dashboard/maple/readers': 'stage',
  '/dashboard/maple/rollouts': 'stage',
  '/dashboard/maple/sessions': 'stage',
  '/dashboard/maple/software_cards': 'stage',
  '/dashboard/maple/templates': 'stage',
  '/dashboard/system': 'system',
  '/dev': 'dev',
  '/docs': 'docs',
} as const
