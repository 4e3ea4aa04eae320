import { addLacking } from '../../api/lacking.ts'

/** The pages of the menu by the call without which they show nothing. */
const pages: Record<string, readonly string[]> = {
  'GET /api/developer/product': ['cedar/mobile'],
  'GET /api/developer/publishKey': ['cedar/keys'],
  'GET /api/developer/activity': ['cedar/activity'],
  'GET /api/notification': ['cedar/notifications'],
  'GET /api/admin/provider': ['cedar/providers'],
  'GET /api/maple/about': ['maple'],
  'GET /api/maple/account': ['maple/accounts'],
  'GET /api/maple/applets': ['maple/applets'],
  'GET /api/maple/approvals': ['maple/approvals'],
  'GET /api/maple/binary_images': ['maple/binary_images'],
  'GET /api/maple/cloud_handlers': ['maple/cloud_handlers'],
  'GET /api/maple/device': ['iot', 'maple/devices'],
  'GET /api/maple/device/bulk': ['maple/changes'],
  'GET /api/maple/device/import': ['maple/imports'],
  'GET /api/maple/device_handlers': ['maple/device_handlers'],
  'GET /api/maple/group': ['maple/groups'],
  'GET /api/maple/products': ['maple/products'],
  'GET /api/maple/reader': ['maple/readers'],
  'GET /api/maple/roles': ['maple/roles'],
  'GET /api/maple/rollouts': ['maple/rollouts'],
  'GET /api/maple/scripts': ['maple/scripts'],
  'GET /api/maple/se/element': ['maple/secure_elements'],
  'GET /api/maple/se/profiles': ['maple/secure_elements/profiles'],
  'GET /api/maple/service': ['maple/providers'],
  'GET /api/maple/sessions/device': ['maple/sessions/device'],
  'GET /api/maple/sessions/se': ['maple/sessions/se'],
  'GET /api/maple/software_cards': ['maple/software_cards'],
  'GET /api/maple/templates': ['maple/templates'],
}

/** The list of providers has a different call from the one that creates one. */
const alsoLacking: Record<string, string> = {
  'POST /api/cedar/provider': 'POST /api/admin/provider',
}

/** Remembers that a service lacks calls: the menu and the pages adapt. */
export const keepLacking = (calls: readonly string[]) =>
  addLacking(
    calls.flatMap((call) => [
      call,
      // Where nothing can be listed, nothing can be created.
      call.replace('GET', 'POST'),
      ...(alsoLacking[call] === undefined ? [] : [alsoLacking[call]]),
      ...(pages[call] ?? []).map((page) => `/dashboard/${page}`),
    ]),
  )

/** Of the calls that pages need, those that a service does not list. */
export const lackingOf = (service: 'cedar' | 'maple', known: readonly unknown[]) => {
  const needed = Object.keys(pages).filter(
    (call) => call.startsWith('GET /api/maple/') === (service === 'maple'),
  )
  const creating = needed.map((call) => call.replace('GET', 'POST'))
  return [...needed, ...creating].filter((call) => !known.includes(call))
}
