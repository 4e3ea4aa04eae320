/** Where an icon or screenshot is served, relative to the service's address. */
export const imageUrl = <T extends string | null>(sha256: T) =>
  (sha256 === null ? null : `/api/storage/image/${sha256}`) as T extends string ? string : null
