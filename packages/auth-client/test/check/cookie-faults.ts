import { withHeaders, type Row } from './row.ts'

/** The page is on the service's own origin: the test fills in `args`. */
const sets = (cookie: string): Pick<Row, 'fault' | 'isPublic' | 'args'> => ({
  fault: { replies: (reply) => withHeaders(reply, { 'set-cookie': cookie }) },
  args: ['--origin', 'own'],
  isPublic: true,
})

export const cookieFaults: Row[] = [
  {
    name: 'an XSRF token that no page can read',
    ...sets('XSRF-TOKEN=abc; Path=/; HttpOnly'),
    finds: { xsrf_http_only: 'has HttpOnly: no page can read it' },
    exit: 1,
  },
  {
    name: 'an XSRF token of one path',
    ...sets('XSRF-TOKEN=abc; Path=/api'),
    finds: { xsrf_path: 'has the Path /api: pages elsewhere do not see it' },
    exit: 1,
  },
  {
    name: 'a cookie for all sites without Secure',
    ...sets('sid=abc; Path=/; SameSite=None'),
    finds: { cookie_dropped: 'Browsers drop the cookie sid: it has SameSite=None without Secure' },
    exit: 1,
  },
  {
    name: 'a cookie of another domain',
    ...sets('sid=abc; Path=/; Domain=example.com'),
    finds: { cookie_dropped: 'its Domain is example.com, not 127.0.0.1' },
    exit: 1,
  },
  {
    name: 'an XSRF token for a page of another origin',
    ...sets('XSRF-TOKEN=abc; Path=/'),
    args: [],
    finds: { cookie_foreign: 'neither keep the cookie XSRF-TOKEN nor send its header' },
    exit: 0,
  },
]
