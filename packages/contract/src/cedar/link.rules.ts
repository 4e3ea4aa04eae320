/** spec §9 "Link id length". */
export const linkIdLength = 7

const linkIdPattern = /^[0-9A-Za-z]{7}$/

/**
 * First parts of addresses of ours that have the length of a link id: `/api/{linkId}` and the page
 * `/{linkId}` share their places with them.
 */
const reserved = new Set([
  'account',
  'console',
  'favicon',
  'healthz',
  'metrics',
  'openapi',
  'preview',
  'product',
  'storage',
])

/** Whether a text has the form of a link id. Such a link need not exist. */
export const isLinkId = (text: string) =>
  linkIdPattern.test(text) && !reserved.has(text.toLowerCase())

/** The longest `url` that can be shared, and the longest place in an app that a link leads to. */
export const longestShareUrl = 1000
export const longestTarget = 512

/** The periods for which opens are shown, in days. */
export const defaultPeriod = 30
export const longestPeriod = 90
