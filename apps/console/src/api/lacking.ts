import { readTab, writeTab } from './tab-storage.ts'

const key = 'grove.lacking'

/**
 * Whether another's service lacks a call, such as `POST /api/maple/device`, or what the page at a path
 * needs. Known as long as the tab; Grove's own services lack nothing.
 */
export const isLacking = (name: string) => !!readTab(key)?.split('\n').includes(name)

export const addLacking = (names: readonly string[]) =>
  writeTab(key, [...new Set([...(readTab(key)?.split('\n') ?? []), ...names])].join('\n'))
