/** The guide and section about the pages with a URL prefix. The last match wins. */
export const pageGuides = {
  '/dashboard': 'publish',
  '/dashboard/cedar/account/invitations': 'administrator#people',
  '/dashboard/cedar/account/people': 'administrator#people',
  '/dashboard/cedar/activity': 'publish#make-it-live',
  '/dashboard/cedar/keys': 'publish#publish-from-the-command-line',
  '/dashboard/cedar/mobile': 'publish#create-the-app',
  '/dashboard/cedar/mobile/': 'publish#upload-a-version',
  '/dashboard/cedar/notifications': 'publish#share-it',
  '/dashboard/cedar/providers': 'administrator#providers',
  '/dashboard/iot': 'first-device#accept-devices-by-hand',
  '/dashboard/maple': 'administrator#the-fleet',
  '/dashboard/maple/accounts': 'administrator#maple-accounts-and-roles',
  '/dashboard/maple/applets': 'first-applet#3-drop-a-cap-file',
  '/dashboard/maple/applets/': 'first-applet#4-install-it-and-watch-every-apdu',
  '/dashboard/maple/approvals': 'administrator#approvals',
  '/dashboard/maple/cloud_handlers': 'programs#cloud-handlers',
  '/dashboard/maple/device_handlers': 'device-handlers',
  '/dashboard/maple/devices/': 'first-device#watch-it-report',
  '/dashboard/maple/keys': 'first-applet#1-make-a-key-and-get-a-working-stage',
  '/dashboard/maple/products': 'first-device#make-a-product-and-a-claim-code',
  '/dashboard/maple/readers': 'readers',
  '/dashboard/maple/roles': 'administrator#maple-accounts-and-roles',
  '/dashboard/maple/scripts': 'programs#scripts',
  '/dashboard/maple/secure_elements': 'administrator#secure-elements',
  '/dashboard/maple/sessions/device': 'first-device#watch-it-report',
  '/dashboard/maple/sessions/se': 'first-applet#4-install-it-and-watch-every-apdu',
  '/dashboard/maple/software_cards': 'first-applet#2-make-a-software-card',
  '/dashboard/system': 'administrator#when-something-failed',
} as const

export function guideAbout(address: string): { guide: string; hash?: string } | undefined {
  const path = address.replace(/[?#].*/, '').replace(/\/$/, '')
  const beginnings = Object.keys(pageGuides) as (keyof typeof pageGuides)[]
  const longest = beginnings.findLast((beginning) => path.startsWith(beginning))
  const [guide, hash] = longest === undefined ? [] : pageGuides[longest].split('#')
  if (guide === undefined) return undefined
  return { guide, ...(hash !== undefined && { hash }) }
}
