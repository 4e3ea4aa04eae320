export interface RoutePlace {
  /** Of the route that it is below; empty for the frame of all. */
  parentId: string
  /** Its id below its parent, and the part of the address that it adds, as `routeTree.gen.ts` says. */
  ownId: string
  path: string
}

/** The id of a route by its file: `../routes/_app/login/index.tsx` is `/_app/login/`. */
export const routeIdOf = (file: string): string =>
  file.replace(/^.*\/routes(?=\/_app)/, '').replace(/index\.tsx$|\.tsx$/, '')

/**
 * A route is below the nearest of its folders that is a route. A folder `_name` adds nothing to the
 * address; `name_` adds `name` and keeps what it holds out of the route `name`.
 */
export function placeOf(id: string, known: Iterable<string>): RoutePlace {
  const folders = [...known].filter((folder) => id.startsWith(`${folder}/`))
  const parentId = folders.toSorted((a, b) => b.length - a.length)[0] ?? ''
  const ownId = id.slice(parentId.length)
  return { parentId, ownId, path: ownId.replaceAll(/\/_\w+/g, '').replaceAll(/_(?=\/)/g, '') }
}
