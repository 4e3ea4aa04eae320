/** The path of an icon or screenshot, relative to the service's URL. */
export const imageUrl = <T extends string | null>(sha256: T) =>
  (sha256 === null ? null : `/api/storage/image/${sha256}`) as T extends string ? string : null
