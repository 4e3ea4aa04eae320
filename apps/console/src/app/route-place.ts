export interface RoutePlace {
  /** The ID of the parent route; empty for the root. */
  parentId: string
  /** Its ID below its parent, and the part of the URL it adds, as in `routeTree.gen.ts`. */
  ownId: string
  path: string
}

/** The ID of a route from its file: `../routes/_app/login/index.tsx` is `/_app/login/`. */
export const routeIdOf = (file: string): string =>
  file.replace(/^.*\/routes(?=\/_app)/, '').replace(/index\.tsx$|\.tsx$/, '')

/**
 * A route's parent is the nearest of its folders that is itself a route. A folder `_name` adds
 * nothing to the URL; `name_` adds `name` but is not nested in the route `name`.
 */
export function placeOf(id: string, known: Iterable<string>): RoutePlace {
  const folders = [...known].filter((folder) => id.startsWith(`${folder}/`))
  const parentId = folders.toSorted((a, b) => b.length - a.length)[0] ?? ''
  const ownId = id.slice(parentId.length)
  return { parentId, ownId, path: ownId.replaceAll(/\/_\w+/g, '').replaceAll(/_(?=\/)/g, '') }
}
