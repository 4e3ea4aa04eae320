import type { BinaryImage } from '@grove/contract/maple/connect/binary-image'
import type { Calls } from '@grove/contract/calls'
import type { QueryOf } from '@grove/contract/call'
import { inputNamesOf } from '@grove/contract/maple/program/script.rules'
import type { ProgramKind } from '@grove/contract/maple/rollout/rollout.rules'
import type { TemplateParameter } from '@grove/contract/maple/program/template-parameter.rules'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../../../session/api.ts'
import type { ComboboxOption } from '../../../../ui/kit/combobox-options.ts'

type Search = (q: string, signal: AbortSignal) => Promise<ComboboxOption[]>

const found = (q: string) => ({ limit: 20, ...(q && { q }) })

/** The programs of each kind by the beginnings of words in their name; applets also by AID. */
export const programOptions: Record<ProgramKind, Search> = {
  applet: async (q, signal) => {
    const { items } = await api.maple.get('/api/maple/applets', { query: found(q), signal })
    return items
      .filter(({ state }) => state !== 'revoked')
      .map(({ id, name, version, packageAid }) => ({
        id,
        label: `${name} ${version}`,
        note: packageAid,
      }))
  },
  template: async (q, signal) => {
    const query = { ...found(q), state: 'published' as const }
    const { items } = await api.maple.get('/api/maple/templates', { query, signal })
    return items.map(({ id, name, about }) => ({ id, label: name, ...(about && { note: about }) }))
  },
  script: async (q, signal) => {
    const { items } = await api.maple.get('/api/maple/scripts', { query: found(q), signal })
    return items
      .filter(({ version }) => version !== null)
      .map(({ id, name, note }) => ({ id, label: name, ...(note && { note }) }))
  },
  image: (q, signal) => imagesOf({ ...found(q), installable: 'any' }, signal),
}

async function imagesOf(
  query: QueryOf<Calls['GET /api/maple/binary_images']>,
  signal: AbortSignal,
): Promise<ComboboxOption[]> {
  const { items } = await api.maple.get('/api/maple/binary_images', { query, signal })
  return items.map((image) => imageOption(image))
}

/** Images for the devices of a product, its own first; without a product, those for any. */
export function imagesFor(productId: string | undefined): Search {
  if (productId === undefined) return programOptions.image
  return async (q, signal) => {
    const all = await Promise.all([
      imagesOf({ ...found(q), productId, installable: 'product' }, signal),
      programOptions.image(q, signal),
    ])
    return all.flat()
  }
}

const imageOption = ({ id, name, version, fileName }: BinaryImage): ComboboxOption => ({
  id,
  label: `${name} ${version}`,
  note: fileName,
})

export const productOptions: Search = async (q, signal) => {
  const { items } = await api.maple.get('/api/maple/products', { query: found(q), signal })
  return items.map(({ id, name, model }) => ({ id, label: name, ...(model && { note: model }) }))
}

export const productQuery = (id: string) =>
  api.maple.query('/api/maple/products', { query: { id } })

/** A program as it would be rolled out now, with its inputs. */
export interface ChosenProgram {
  label: string
  /** For a template or script, the newest published version. */
  version: number | null
  /** For a template. */
  parameters: readonly TemplateParameter[]
  /** The names of the inputs that a script reads. */
  inputs: readonly string[]
  /** For an image that is for one product. */
  product: string | null
}

/** Null for one that no longer exists. */
export const programQuery = (kind: ProgramKind, id: string) =>
  queryOptions({
    queryKey: ['maple', `/api/maple/${kind}s`, 'of a rollout', id],
    queryFn: ({ signal }) => readers[kind](id, signal),
  })

type Reader = (id: string, signal: AbortSignal) => Promise<ChosenProgram | null>

const bare = (label: string, version: number | null = null): ChosenProgram => ({
  label,
  version,
  parameters: [],
  inputs: [],
  product: null,
})

const readers: Record<ProgramKind, Reader> = {
  applet: async (id, signal) => {
    const { items } = await api.maple.get('/api/maple/applets', { query: { id }, signal })
    const [applet] = items
    return applet ? bare(`${applet.name} ${applet.version}`) : null
  },
  template: async (id, signal) => {
    const query = { limit: 1 }
    const [{ items }, versions] = await Promise.all([
      api.maple.get('/api/maple/templates', { query: { id }, signal }),
      api.maple.get('/api/maple/templates/{id}/version', { params: { id }, query, signal }),
    ])
    const [template] = items
    const [newest] = versions.items
    if (!template) return null
    const { name, version } = template
    return { ...bare(name, version), parameters: newest?.parameters ?? [] }
  },
  script: async (id, signal) => {
    const { items } = await api.maple.get('/api/maple/scripts', { query: { id }, signal })
    const [script] = items
    if (!script) return null
    const { name, version: number } = script
    if (number === null) return bare(name)
    const path = '/api/maple/scripts/{id}/version/{number}'
    const { code } = await api.maple.get(path, { params: { id, number }, signal })
    return { ...bare(name, number), inputs: inputNamesOf(code) }
  },
  image: async (id, signal) => {
    const { items } = await api.maple.get('/api/maple/binary_images', { query: { id }, signal })
    const [image] = items
    if (!image) return null
    return { ...bare(`${image.name} ${image.version}`), product: image.productId }
  },
}
