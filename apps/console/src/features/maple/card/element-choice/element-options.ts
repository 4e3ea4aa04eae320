import { maxScriptElements } from '@grove/contract/maple/program/script.rules'
import { largestPage } from '@grove/contract/page.rules'
import type { SecureElement } from '@grove/contract/maple/fleet/element'
import { chipNumber } from '@grove/secure-element/cplc'
import { api } from '../../../../session/api.ts'
import type { ComboboxOption } from '../../../../ui/kit/combobox-options.ts'

/** The maximum number of elements in one run. */
export const maxChosen = maxScriptElements

const optionOf = ({ cplc, device }: SecureElement): ComboboxOption => ({
  id: cplc,
  label: device ? `${device.name} · ${chipNumber(cplc)}` : chipNumber(cplc),
  note: cplc,
})

/** Elements by the beginning of a CPLC, chip ID or serial number. */
export async function elementOptions(
  query: string,
  signal: AbortSignal,
): Promise<ComboboxOption[]> {
  const { items } = await api.maple.get('/api/maple/se/element', {
    query: { limit: 20, ...(query && { q: query }) },
    signal,
  })
  return items.map((element) => optionOf(element))
}

/** Profiles by a part of their name or ID. */
export async function profileOptions(
  query: string,
  signal: AbortSignal,
): Promise<ComboboxOption[]> {
  const { items } = await api.maple.get('/api/maple/se/profiles', { signal })
  const text = query.trim().toLowerCase()
  return items
    .map(({ id, name }) => ({ id, label: name, note: id }))
    .filter(({ id, label }) => `${id} ${label}`.toLowerCase().includes(text))
}

/** The elements of a profile, up to the maximum of one run. */
export async function elementsOf(
  profile: string,
): Promise<{ options: ComboboxOption[]; isWhole: boolean }> {
  const options: ComboboxOption[] = []
  let cursor: string | null = null
  do {
    const page: { items: SecureElement[]; next: string | null } = await api.maple.get(
      '/api/maple/se/element',
      { query: { profile, sort: 'cplc', limit: largestPage, ...(cursor !== null && { cursor }) } },
    )
    options.push(...page.items.map((element) => optionOf(element)))
    cursor = page.next
  } while (cursor !== null && options.length < maxChosen)
  return { options: options.slice(0, maxChosen), isWhole: cursor === null }
}
