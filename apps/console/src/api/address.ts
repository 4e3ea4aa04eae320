export interface Service {
  url: string
  apiVersion: string
}
export type Services = Record<'auth' | 'cedar' | 'maple', Service>

const authPath =
  /^\/api\/(token|signup|logout|info|send|stage|admin\/account|user\/(?!info(\/|$))\w+)(\/|$)/

/**
 * spec §7 names the calls of each service; everything that is not Maple's or the auth service's is
 * Cedar's, and so is `GET /api/user/info`, which the specification lists among the dashboard's calls.
 */
export function serviceOf(path: string): keyof Services {
  if (path.startsWith('/api/maple/')) return 'maple'
  return authPath.test(path) ? 'auth' : 'cedar'
}

type Value = string | number | boolean | undefined

/** Fills `{name}` of a path and appends the query; parameters left undefined are not sent. */
export function address(
  path: string,
  params: Record<string, Value> = {},
  query: Record<string, Value> = {},
) {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined) throw new Error(`${path} needs ${name}`)
    return encodeURIComponent(value)
  })
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value))
  }
  return search.size > 0 ? `${filled}?${search}` : filled
}
