import { readTab, writeTab } from './tab-storage.ts'

const key = 'grove.lacking'

/**
 * Whether a third-party service lacks a call, such as `POST /api/maple/device`, or what the page at a
 * path needs. Remembered for the life of the tab; Grove's own services lack nothing.
 */
export const isLacking = (name: string) => !!readTab(key)?.split('\n').includes(name)

export const addLacking = (names: readonly string[]) =>
  writeTab(key, [...new Set([...(readTab(key)?.split('\n') ?? []), ...names])].join('\n'))
