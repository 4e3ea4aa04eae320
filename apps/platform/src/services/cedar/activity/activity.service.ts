import type { Activity } from '@grove/contract/cedar/activity'
import type { Calls } from '@grove/contract/calls'
import type { QueryOf, ResponseOf } from '@grove/contract/call'
import { maxExportedEvents } from '@grove/contract/cedar/activity.rules'
import { isAdmin, type Actor } from '../../../core/actor.ts'
import { emailsOf } from '../../../core/people/directory.ts'
import { events, type CedarContext } from '../context.ts'
import { csvLine } from '../parts/csv.ts'
import { inLocale } from '../parts/translations.ts'
import { requireProduct } from '../product/product.service.ts'
import { requireProvider } from '../provider/provider.service.ts'
import { activityList, type ActivityScope } from './activity.queries.ts'

type Call = Calls['GET /api/developer/activity']
type Filters = QueryOf<Calls['GET /api/developer/activity/csv']>

// Jobs and refused requests belong to the platform itself.
const ofObjects = (action: string) => !/^(job|security)\./.test(action)

/** @throws ProblemError `not_found` for another owner's provider or product. */
export async function listActivity(
  context: CedarContext,
  actor: Actor,
  query: QueryOf<Call>,
): Promise<ResponseOf<Call>> {
  const scope = await scopeOf(context, actor, query)
  const page = await activityList.read(context.db, query, scope)
  return { ...page, actions: events.actions().filter(ofObjects) }
}

/** A product may have moved since: its whole history belongs to its current owner. */
async function scopeOf(
  context: CedarContext,
  actor: Actor,
  { providerId, productId }: Filters,
): Promise<ActivityScope> {
  if (providerId !== undefined) await requireProvider(context, actor, { id: providerId })
  if (productId !== undefined) {
    await requireProduct(context, actor, { id: productId })
    return { productId }
  }
  if (providerId !== undefined) return { providerId }
  return isAdmin(actor) ? 'all' : { userId: actor.id }
}

const columns = [
  'at',
  'actor',
  'email',
  'key',
  'action',
  'provider',
  'app',
  'version',
  'subject',
  'reason',
  'before',
  'after',
]

/** The lines of a CSV file, read page by page, so memory does not grow with its length. */
export async function exportActivity(
  context: CedarContext,
  actor: Actor,
  filters: Filters,
): Promise<AsyncIterable<string>> {
  const scope = await scopeOf(context, actor, filters)
  return lines(context, actor, { filters, scope })
}

const pageSize = 1000

interface Exported {
  filters: Filters
  scope: ActivityScope
}

async function* lines({ db }: CedarContext, actor: Actor, { filters, scope }: Exported) {
  // Only administrators see who others are.
  const isShown = (id: string) => isAdmin(actor) || id === actor.id
  yield csvLine(columns)
  let cursor: string | null = null
  for (let read = 0; read < maxExportedEvents; read += pageSize) {
    const query: QueryOf<Call> = { ...filters, limit: pageSize, ...(cursor !== null && { cursor }) }
    const page = await activityList.read(db, query, scope)
    const people = new Set(page.items.flatMap((event) => event.actor ?? []).filter(isShown))
    const emails = await emailsOf(db, [...people])
    yield page.items.map((event) => csvLine(cellsOf(event, emails))).join('')
    cursor = page.next
    if (cursor === null) return
  }
}

function cellsOf(event: Activity, emails: ReadonlyMap<string, string>): string[] {
  const nameOf = (names: Activity['productNames']) => inLocale(names ?? [])?.name ?? ''
  const json = (value: unknown) => (value === null ? '' : JSON.stringify(value))
  const { reason } = Object(event.after) as { reason?: unknown }
  return [
    event.at,
    event.actor ?? '',
    emails.get(event.actor ?? '') ?? '',
    event.key?.name ?? '',
    event.action,
    nameOf(event.providerNames),
    nameOf(event.productNames),
    event.version ?? '',
    event.subject,
    typeof reason === 'string' ? reason : '',
    json(event.before),
    json(event.after),
  ]
}
