import type { BodyOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { CardFaults } from '@grove/contract/maple/card/software-card'
import type { TemplateRun, TemplateTarget } from '@grove/contract/maple/program/template'
import type { TemplateContent } from '@grove/contract/maple/program/template-step.rules'
import type { CardKind } from '@grove/contract/maple/card/software-card.rules'
import { largestPage } from '@grove/contract/page.rules'
import { queryOptions } from '@tanstack/react-query'
import { itemsOf } from '../../../../api/items.ts'
import { invalidate } from '../../../../api/query-client.ts'
import { api } from '../../../../session/api.ts'
import type { ComboboxOption } from '../../../../ui/kit/combobox-options.ts'
import type { Input } from '../template-values/values-form.tsx'
import { templateList, templateQuery } from './template.search.ts'

export const path = '/api/maple/templates'

export const templates = {
  ...itemsOf((id) => api.maple.query(path, { query: { id } })),
  list: templateList,
  query: (page: ReturnType<typeof templateList.page>) =>
    api.maple.query(path, { query: templateQuery(page) }),
  refresh: () => invalidate('maple', path),
}

export const oneTemplate = (id: string) => api.maple.query(`${path}/{id}`, { params: { id } })

export const versionsQuery = (id: string) =>
  api.maple.query(`${path}/{id}/version`, { params: { id }, query: { limit: 20 } })

export const isLive = ({ state }: Pick<TemplateRun, 'state'>): boolean =>
  state === 'queued' || state === 'running'

const liveMs = 700
/** A run may await approval for days. */
const waitingMs = 5_000

/** Whether a run awaits approval. */
export const isWaiting = ({ state, approval }: Pick<TemplateRun, 'state' | 'approval'>): boolean =>
  state === 'queued' && approval?.state === 'pending'

/** How often runs are refetched; false once all have ended. */
function followMs(runs: readonly TemplateRun[]): number | false {
  const live = runs.filter(isLive)
  if (live.length === 0) return false
  return live.every(isWaiting) ? waitingMs : liveMs
}

/** The newest runs of a template, refetched while one is in progress. */
export const runsQuery = (template: string) =>
  queryOptions({
    ...api.maple.query(`${path}/run`, { query: { template, limit: 5 } }),
    refetchInterval: ({ state: { data } }) => (data ? followMs(data.items) : false),
  })

export const targetsQuery = (run: TemplateRun) =>
  queryOptions({
    ...api.maple.query(`${path}/run/{id}/target`, {
      params: { id: run.id },
      query: { limit: 200 },
    }),
    refetchInterval: followMs([run]),
  })

/** All elements of a run: more than the page shows. */
export async function allTargets(id: string): Promise<TemplateTarget[]> {
  const targets: TemplateTarget[] = []
  let cursor: string | null | undefined
  do {
    const { items, next } = await api.maple.get(`${path}/run/{id}/target`, {
      params: { id },
      query: { limit: largestPage, ...(cursor && { cursor }) },
    })
    targets.push(...items)
    cursor = next
  } while (cursor)
  return targets
}

/** An empty value means the default. */
const given = (input: Input) =>
  Object.entries(input).flatMap(([name, value]) => (value === '' ? [] : [{ name, value }]))

export const dryRun = (
  { parameters, steps }: TemplateContent,
  input: Input,
  card: ({ kind: CardKind } | { id: string }) & { faults?: CardFaults },
) =>
  api.maple.post(`${path}/dry_run`, {
    body: { ...sentOf({ parameters, steps }), input: given(input), card },
  })

export const startRun = (id: string, elements: string[], input: Input) =>
  api.maple.post(`${path}/{id}/run`, { params: { id }, body: { elements, input: given(input) } })

export const saveTemplate = (
  id: string,
  { name, about, parameters, steps }: TemplateContent & { name: string; about: string },
  ifMatch: { ifMatch?: number },
) =>
  api.maple.put(path, {
    query: { id },
    ...ifMatch,
    body: { name, about, ...sentOf({ parameters, steps }) },
  })

type Sent = BodyOf<Calls['POST /api/maple/templates/dry_run']>

/** Drops undefined fields, which the calls do not accept. */
export const sentOf = (content: TemplateContent) =>
  JSON.parse(JSON.stringify(content)) as Pick<Sent, 'parameters' | 'steps'>

export async function appletOptions(query: string, signal: AbortSignal): Promise<ComboboxOption[]> {
  const { items } = await api.maple.get('/api/maple/applets', {
    query: { limit: 20, ...(query && { q: query }) },
    signal,
  })
  return items.map(({ id, name, version, packageAid }) => ({
    id,
    label: `${name} ${version}`,
    note: packageAid,
  }))
}

export const appletQuery = (id: string) => api.maple.query('/api/maple/applets', { query: { id } })

export async function cardOptions(query: string, signal: AbortSignal): Promise<ComboboxOption[]> {
  const { items } = await api.maple.get('/api/maple/software_cards', {
    query: { limit: 20, ...(query && { q: query }) },
    signal,
  })
  return items.map(({ id, name }) => ({ id, label: name, note: id }))
}
