type Value = string | number | boolean | undefined

/**
 * Fills `{name}` in a path and appends the query; undefined parameters are left out. The others are
 * in a fixed order, so that a call sent early (`app/start.ts`) has the same address as the page's
 * own.
 */
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
  search.sort()
  return search.size > 0 ? `${filled}?${search}` : filled
}
